import type { Profile } from '../../service/profiles/profile.ts';
import { profileSchema } from '../../service/profiles/schema.ts';

const SCHEMA = profileSchema({ output_dir: '/scans' });

export function testProfile(fields: object): Profile {
  const { value, error } = SCHEMA.validate({ destinations: [], ...fields });
  if (error) throw error;
  return value;
}
