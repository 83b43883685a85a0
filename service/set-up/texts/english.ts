/**
 * The texts of the set-up by key. `{name}` is replaced by a fact. The terminal prints their line
 * breaks unchanged.
 */
export const ENGLISH = {
  'scanner.searching': 'Looking for scanners, which takes up to half a minute …',
  'scanner.none_found':
    'No scanner was found. A network scanner: its display or your router shows its address. A USB scanner: switch it on,\n' +
    'check its cable, and start again (deploy/udev/README.md helps). If it is not at hand: answer "later".',
  'scanner.answers': 'The scanner answers: {device}',
  'scanner.later': 'The scanner is left for later: run the set-up again when it is there.',
  'scanner.not_an_address':
    '"{given}" is no address, such as 192.168.1.50, and no name of a device as SANE has it.',
  'scanner.no_answer':
    'No eSCL scanner (AirScan, Mopria) answers at {address}:\n{reasons}\nCheck the address, and that the scanner is switched on.',
  /** The scanner runtime's own message. */
  'scanner.refused': '{message}',
  'paperless.answers': 'Paperless-ngx answers there.',
  'paperless.token_good': 'The token is right: it may add documents.',
  'paperless.no_views': 'The user of the token may not view {kind}, so none can be chosen here.',
  'languages.unknown': '"{given}" is not a language, such as German, or its code, such as deu.',
  'time_zone.unknown': 'There is no time zone "{given}". It is a name such as Europe/Berlin.',
  'access.token_set': 'A caller token is set already, in secrets/scan_api_token.',
  'access.without_token':
    'Without a caller token, everyone on your network can scan and read what was scanned. With one, the control page\n' +
    'asks for it once on each device, and other callers send it.',
} as const;
