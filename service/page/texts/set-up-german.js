const SYSTEMD = 'cd /opt/scan-service && npm run operator-password';
const COMPOSE = 'docker compose exec service node deploy/setup/operator-password.ts';
const COMMAND = `mit systemd \`${SYSTEMD}\`, mit Docker \`${COMPOSE}\``;

/** @type {typeof import('./set-up-english.js').words} */
export const words = {
  title: 'Einrichtung',
  settings: 'Einstellungen',
  place: (at, of) => `Schritt ${at} von ${of}`,
  next: 'Weiter',
  back: 'Zurück',
  later: 'Später erledigen',
  save: 'Speichern',
  start: 'Jetzt scannen',
  again: 'Noch einmal versuchen',
  checking: 'Wird geprüft …',
  busy: 'Moment …',
  checkAgain: 'Noch einmal prüfen',
  toDo: 'Noch zu erledigen',
  show: 'Zeigen',
  hide: 'Verbergen',
  reveal: (label) => `Zeigen: ${label}`,
  conceal: (label) => `Verbergen: ${label}`,
  choose: 'Auswählen …',
  fixedBy: (name) =>
    `Das ist auf dem Rechner festgelegt, durch ${name}, und lässt sich nur dort ändern.`,
  fixedShort: (name) => `festgelegt durch ${name}`,
  problems: {
    not_found: 'Die Einrichtung im Browser ist ausgeschaltet. Auf dem Rechner: npm run setup.',
    unreachable:
      'Das Gerät antwortet nicht. Vielleicht startet es neu: Warten Sie eine Minute und versuchen Sie es noch einmal.',
    unauthorized:
      'Sie wurden abgemeldet. Laden Sie die Seite neu und geben Sie das Betreiber-Passwort ein.',
    too_many_requests: 'Das waren zu viele Versuche. Warten Sie eine Minute.',
    insufficient_storage:
      'Das konnte nicht gespeichert werden: Der Ordner für Einstellungen ist voll oder schreibgeschützt. Auf dem Rechner: npm run doctor.',
  },
  closed: {
    closed:
      'Hier lässt sich noch nichts ändern: Der Dienst wurde auf dem Rechner eingerichtet und hat kein Betreiber-Passwort.',
    unreadable:
      'Hier lässt sich nichts ändern: Das Betreiber-Passwort dieses Geräts ist nicht lesbar.',
  },
  closedRemedy:
    'Ein Befehl auf dem Rechner, als root, erzeugt ein neues Betreiber-Passwort und zeigt es an:',
  closedCommands: [
    ['Mit systemd', SYSTEMD],
    ['Mit Docker Compose, in seinem Ordner', COMPOSE],
  ],
  closedThen: 'Prüfen Sie dann noch einmal und melden Sie sich mit diesem Passwort an.',

  steps: {
    scanner: 'Scanner',
    paperless: 'Paperless-ngx',
    languages: 'Sprachen und Zeitzone',
    buttons: 'Knöpfe',
    profiles: 'Profile',
    house: 'Wer scannen darf',
    test: 'Probescan',
  },

  operator: 'Scan-Einstellungen',
  claimTitle: 'Willkommen',
  claimLead:
    'In ein paar Schritten wird aus Papier ein durchsuchbares Dokument. Wählen Sie zuerst ein Betreiber-Passwort, für die Person, die sich um dieses Gerät kümmert. Wer es hat, kann diese Einstellungen ändern.',
  password: 'Betreiber-Passwort',
  newPassword: 'Neues Betreiber-Passwort',
  oldPassword: 'Bisheriges Betreiber-Passwort',
  passwordHint: (length) =>
    `Mindestens ${length} Zeichen. Bewahren Sie es gut auf. Zum Scannen braucht man es nicht.`,
  passwordShort: (length) => `Das ist zu kurz: Nehmen Sie mindestens ${length} Zeichen.`,
  passwordLost: `Verloren? Die Person, die den Rechner betreut, kann dort ein neues vergeben: ${COMMAND}.`,
  wrongPassword: 'Das ist nicht das Betreiber-Passwort.',
  logInTitle: 'Betreiber-Passwort eingeben',
  logInLead: 'Es wurde bei der Einrichtung gewählt und schützt die Einstellungen.',
  logInChanged:
    'Das Betreiber-Passwort wurde geändert, nachdem Sie sich auf diesem Gerät angemeldet hatten. Geben Sie das neue ein.',
  claimedElsewhere:
    'Ein anderes Gerät war schneller und hat ein Betreiber-Passwort vergeben. Ihres wurde nicht gespeichert: Geben Sie das andere ein.',
  logIn: 'Anmelden',
  logOut: 'Abmelden',
  changeTitle: 'Betreiber-Passwort ändern',
  changeLead: 'Dabei werden alle anderen Geräte abgemeldet.',
  changed: 'Das Betreiber-Passwort ist geändert. Alle anderen Geräte wurden abgemeldet.',
  saved: (title) => `Gespeichert: ${title}`,

  kinds: { feeder: 'Einzug', both_sides: 'beide Seiten', glass: 'Glas' },
  scannerLead:
    'Schalten Sie den Scanner ein. Er kann im Netz sein oder an einem USB-Anschluss des Rechners.',
  scannerIs: (name, kinds) => `Gewählt: ${name}${kinds && ` (${kinds})`}`,
  chosen: 'Bisher gewählt',
  scannerSilent: 'Antwortet nicht. Ist er eingeschaltet?',
  searching: 'Scanner werden gesucht. Das dauert bis zu einer halben Minute.',
  found: 'Gefundene Scanner',
  noneFound:
    'Es wurde kein Scanner gefunden. Schalten Sie ihn ein, warten Sie eine Minute und suchen Sie noch einmal. Die Adresse eines Netzwerk-Scanners steht auf seiner Anzeige oder in Ihrem Router.',
  lookAgain: 'Noch einmal suchen',
  otherScanner: 'Ein anderer Scanner, nach Adresse',
  scannerAddress: 'Adresse des Scanners',
  scannerAddressHint: 'Zum Beispiel 192.168.1.50',
  upTo: (dpi) => `bis ${dpi} dpi`,

  paperlessLead: 'Dort werden die gescannten Dokumente abgelegt.',
  paperlessIs: (address) => `Verbunden: ${address}`,
  paperlessAnswers: 'Dort antwortet Paperless-ngx.',
  address: 'Adresse',
  addressHint: 'Wie im Browser, zum Beispiel 192.168.1.10:8000',
  addressMissing: 'Geben Sie die Adresse ein.',
  addressFails: 'Die Adresse geht noch nicht.',
  addressSilent: 'Dort antwortet nichts. Stimmt der Port (meist 8000)?',
  account: 'Anmelden mit',
  byLogin: 'Benutzer und Passwort',
  byToken: 'Token',
  user: 'Benutzer',
  userMissing: 'Geben Sie den Benutzer ein.',
  accountPassword: 'Passwort',
  accountPasswordMissing: 'Geben Sie das Passwort ein.',
  accountHint: 'Damit wird einmal ein Token geholt. Das Passwort wird nicht gespeichert.',
  token: 'Token',
  tokenHint: 'In Paperless-ngx unter „Mein Profil“: 40 Buchstaben und Ziffern.',
  tokenMissing: 'Geben Sie das Token ein.',
  code: 'Code der Authenticator-App',
  codeHint: 'Sechs Ziffern',
  codeNeeded:
    'Dieses Konto verlangt auch einen Code. Geben Sie den ein, den Ihre Authenticator-App zeigt.',
  certificate:
    'Ein eigenes Zertifikat müssen Sie auf dem Rechner bekannt machen: als ca.pem speichern und NODE_EXTRA_CA_CERTS setzen. In Ihrem eigenen Netz geht auch eine Adresse mit http://, wenn Paperless-ngx eine hat.',

  languagesLead:
    'Die Sprachen Ihrer Dokumente. Mit jeder weiteren dauert das Lesen der Texte länger.',
  languages: 'Sprachen',
  languageMissing: 'Wählen Sie mindestens eine Sprache.',
  otherLanguage: 'Weitere Sprache',
  otherLanguageHint:
    'Diese müssen erst auf dem Rechner installiert werden. Der Befehl erscheint, sobald Ihre Auswahl gespeichert ist.',
  notInstalled: (name) => `${name} (nicht installiert)`,
  languagesSaved: 'Ihre Auswahl ist gespeichert.',
  timeZone: 'Zeitzone',
  timeZoneHint: 'Für Datum und Uhrzeit Ihrer Scans.',
  regions: {
    Africa: 'Afrika',
    America: 'Amerika',
    Antarctica: 'Antarktis',
    Arctic: 'Arktis',
    Asia: 'Asien',
    Atlantic: 'Atlantik',
    Australia: 'Australien',
    Europe: 'Europa',
    Indian: 'Indischer Ozean',
    Pacific: 'Pazifik',
  },

  buttonsLead: 'Was scannen Sie? Daraus werden die Knöpfe auf der Seite.',
  alwaysShown: 'Immer dabei',
  unfitDefault: (label) => `„${label}“ ist immer auf der Seite, aber Ihr Scanner kann das nicht.`,
  changeProfile: 'Ändern, wie gescannt wird',
  unfit: (labels) => `Das kann Ihr Scanner nicht: ${labels}.`,
  ownProfiles: (names) =>
    `Diese Profile wurden auf dem Rechner angelegt und bleiben, wie sie sind: ${names}.`,
  buttonsShown: (count) => `${count} ${count === 1 ? 'Knopf' : 'Knöpfe'}`,

  houseLead: 'Diese Seite kann jeder in Ihrem Netz öffnen. Wer darf scannen und die Scans ansehen?',
  housePasswordChoice: 'Wer ein Passwort kennt',
  housePasswordMeans: 'Jedes Handy fragt einmal danach. Geben Sie es allen im Haus.',
  houseOpen: 'Alle im Netz',
  houseOpenMeans: 'Niemand wird gefragt. Auch Gäste können scannen und alles Gescannte lesen.',
  housePassword: 'Passwort zum Scannen',
  newHousePassword: 'Neues Passwort zum Scannen',
  housePasswordHint: 'Mindestens 8 Buchstaben, Ziffern oder Zeichen, ohne Leerzeichen und Umlaute.',
  housePasswordSet:
    'Ein Passwort ist gesetzt. Lassen Sie das Feld leer, um es zu behalten. Nach einer Änderung muss jedes Handy das neue eingeben.',
  housePasswordSaved:
    'Das Passwort zum Scannen ist gespeichert. Jedes Handy fragt jetzt einmal danach.',
  housePasswordWith: (character) =>
    character === ' '
      ? 'Leerzeichen gehen in diesem Passwort nicht.'
      : `„${character}“ geht in diesem Passwort nicht.`,
  housePasswordNeeded: 'Geben Sie das Passwort zum Scannen ein und scannen Sie dann.',
  housePasswordWrong: 'Das ist nicht das Passwort zum Scannen.',

  testLead:
    'Legen Sie eine Seite in den Einzug des Scanners oder auf sein Glas. Sie wird mit dem Titel „Probescan“ in Paperless-ngx abgelegt.',
  testTitle: 'Probescan',
  testNow: 'Scannen',
  testRunning: 'Probescan läuft …',
  testAgain: 'Noch einmal scannen',
  testGood: (pages) =>
    `Es klappt: ${pages > 1 ? `${pages} Seiten wurden` : 'Die Seite wurde'} gescannt und abgelegt.`,
  testKept: (pages) =>
    `Es klappt: ${pages > 1 ? `${pages} Seiten wurden` : 'Die Seite wurde'} gescannt. Das Dokument bleibt auf dem Rechner, wie es im Profil steht.`,
  testPartly: (pages) =>
    `${pages > 1 ? `${pages} Seiten wurden` : 'Die Seite wurde'} gescannt, aber nicht abgelegt.`,
  finish: 'Fertig',
  scannerOff: 'Der Scanner antwortet nicht',
  testLook: 'Diesen Scan ansehen',
  testShort: 'Eine Seite scannen und ablegen',

  doneTitle: 'Alles ist bereit',
  doneLead:
    'Legen Sie Papier ein und drücken Sie einen Knopf. Diese Einstellungen finden Sie auf der Seite unter „Einstellungen“, mit dem Betreiber-Passwort.',
  doneTitlePartly: 'Fast fertig',
  doneLeadPartly:
    'Diese Schritte fehlen noch. Erledigen Sie sie jetzt oder später unter „Einstellungen“.',
  selfTest: 'Alle Prüfungen',
  profilesShort: 'Wie jeder Knopf scannt und wohin seine Dokumente kommen',
  checkedAt: (time, problems) =>
    `Geprüft am ${time}: ${problems === 0 ? 'keine Probleme' : problems === 1 ? '1 Problem' : `${problems} Probleme`}`,
  checkedAgo: (age, state) => `Geprüft ${age}: ${state}`,
  justNow: 'gerade eben',
  notChecked: 'nicht geprüft',
  moreProblems: (count) => `(und ${count} weitere)`,
  fine: {
    scanner: 'antwortet',
    paperless: 'antwortet und nimmt Dokumente an',
    languages: 'installiert',
    profiles: 'ohne Fehler',
    house: 'in Ordnung',
    test: 'Platz für Scans ist da',
  },
};
