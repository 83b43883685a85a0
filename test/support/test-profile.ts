import type { Profile } from '../../service/profiles/profile.ts';
import { profileSchema } from '../../service/profiles/schema.ts';

/** The same for every profile. */
const SCHEMA = profileSchema({ output_dir: '/scans' });

/** A profile with everything at its default but what is given. */
export function testProfile(fields: object): Profile {
  const { value, error } = SCHEMA.validate({ destinations: [], ...fields });
  if (error) throw error;
  return value;
}
