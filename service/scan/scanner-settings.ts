import type { ScanRequest } from '../../helpers/ipc/messages.ts';
import type { Profile } from '../profiles/profile.ts';

export function scannerSettings(
  settings: Profile,
): Omit<ScanRequest, 'directory' | 'first_page' | 'first_sheet'> {
  return {
    device: settings.device,
    source: settings.source,
    sides: settings.sides,
    mode: settings.mode,
    resolution: settings.resolution,
    page_size: settings.page_size,
    max_pages: settings.max_pages,
    scanner_options: settings.scanner_options,
  };
}
