/** Texts of the set-up. `{name}` stands for a fact. The terminal prints line breaks as they are. */
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
  'scanner.local_address':
    '{address} is this machine itself, or no address of your network. Use the address on the display of the scanner.',
  'scanner.name': 'Nothing in this network has the name {address}. Use the address in digits.',
  'scanner.tcp':
    'Nothing answers at {address}. Check the address, and that the scanner is switched on and in the same network.',
  'scanner.other':
    'Something answers at {address}, but it is not a scanner with eSCL (AirScan, Mopria). Check the address.',
  'scanner.silent':
    'The scanner does not answer. Switch it on, check its cable or network, then try again.',
  'scanner.busy': 'Someone else is using the scanner. Wait until it is free, then try again.',
  'scanner.no_runtime':
    'The part of the service that uses the scanner does not run. On the machine: npm run doctor.',
  'scanner.refused': '{message}',
  'scanner.failed':
    'The scanner answers with an error. Switch it off and on, wait a minute, then try again.',
  'paperless.answers': 'Paperless-ngx answers there.',
  'paperless.token_good': 'The token is right: it may add documents.',
  'paperless.no_views': 'The user of the token may not view {kind}, so none can be chosen here.',
  'paperless.not_an_address':
    'That is no address of a Paperless-ngx. It is like http://192.168.1.10:8000, without what follows the host in a browser.',
  'paperless.is_token':
    'That looks like the token. The address of a Paperless-ngx is like http://192.168.1.10:8000.',
  'paperless.local_address':
    '{address} is this machine itself, or no address of your network. Use the address by which other computers reach Paperless-ngx.',
  'paperless.name': 'Nothing in this network has the name in {address}. Use the address in digits.',
  'paperless.tcp':
    'Nothing answers at {address}. Check the address and its port (most have 8000). Check that Paperless-ngx is running.',
  'paperless.tls':
    'The certificate of {address} is not trusted here. deploy/paperless/README.md says how to add your own authority.',
  'paperless.api':
    'Something answers at {address}, but it is not Paperless-ngx. Check the address, its port (most have 8000), and whether it begins with https://.',
  'paperless.slow':
    '{address} takes too long to answer. If Paperless-ngx has just been started, wait a minute, then try again.',
  'paperless.api_path':
    'Something answers at {address}, but it is not Paperless-ngx. If you copied the address from a browser, leave out what follows the host: {origin}',
  'paperless.no_tls': '{address} does not use https. Begin the address with http://.',
  'paperless.version': '{address} is a Paperless-ngx of a version that is not supported.',
  'paperless.wrong_login': 'Paperless-ngx refused the user name or the password.',
  'paperless.mfa': 'This account needs a code of its authenticator app. Enter a new one.',
  'paperless.throttled':
    'Paperless-ngx allows no further log-in now. Wait a minute, then try again.',
  'paperless.not_a_token':
    'That is not a token. Copy it from My Profile in Paperless-ngx: it has 40 letters and digits.',
  'paperless.token':
    'Paperless-ngx refused the token. Copy it from My Profile in Paperless-ngx again.',
  'paperless.token_length':
    'Paperless-ngx refused the token. Copy it from My Profile in Paperless-ngx again. A token has 40 letters and digits, and this one has {length}.',
  'paperless.permission':
    'This account may not add documents. Give it that permission in Paperless-ngx, or use another one.',
  'languages.unknown': '"{given}" is not a language, such as German, or its code, such as deu.',
  'languages.missing':
    'Not installed yet: {names}. You can go on. Until then, such text is read with the installed languages, and letters that these lack, such as umlauts, get lost. ' +
    'Ask the person who installed this machine to do this: With Docker, add `{languages}` to OCR_LANGUAGES in the file .env and run `docker compose up --detach --build`. ' +
    'Without Docker, run `apt-get install {packages}`.',
  'time_zone.unknown': 'There is no time zone "{given}". It is a name such as Europe/Berlin.',
  'profile.trigger': 'This already starts "{other}". Choose another button or function.',
  'profile.no_paperless':
    'Paperless-ngx is not set up yet. Do that first, or keep the documents on the machine.',
  'access.token_set': 'A caller token is set already, in secrets/scan_api_token.',
  'access.without_token':
    'Without a caller token, everyone on your network can scan and read what was scanned. With one, the control page\n' +
    'asks for it once on each device, and other callers send it.',
} as const;
