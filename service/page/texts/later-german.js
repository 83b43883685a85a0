const { n, OPERATOR } = await import('./german.js');

/** @typedef {import('../types.d.ts').Facts} Facts */

/** @type {typeof import('./later-english.js').later} */
export const later = {
  share: 'PDF teilen',
  shareAgain: 'Zum Teilen noch einmal drücken',
  optionsOf: (label) => `Optionen: ${label}`,
  asButton: 'Wie beim Knopf vorgesehen.',
  resetOptions: 'Zurück zum Knopf',
  askingScanner: 'Der Scanner wird gefragt, was er kann.',
  noChoices:
    'Der Scanner sagt gerade nicht, was er kann. Versuchen Sie es, wenn er an und frei ist.',
  brokenAdvice:
    'Das Profil hinter diesem Knopf fehlt oder hat einen Fehler. Entfernen Sie den Knopf, oder lassen Sie das Profil in Ordnung bringen.',
  scanSo: 'Scannen',
  done: 'Fertig',
  colors: 'Farbe',
  sides: 'Wo das Papier liegt',
  quality: 'Qualität',
  qualities: { 150: 'klein', 200: 'leicht', 300: 'gut', 600: 'sehr fein' },
  paperSize: 'Papier',
  grouping: 'Dokumente',
  languages: 'Sprachen des Textes',
  saveAs: 'Als Knopf sichern',
  saveButton: 'Sichern',
  saved: (label) => `„${label}“ ist gesichert, für alle im Haus.`,
  changeButton: 'Diesen Knopf ändern',
  buttonName: 'Name des Knopfs',
  buttonIcon: 'Symbol',
  removeButton: 'Diesen Knopf entfernen',
  removed: (label) => `„${label}“ ist entfernt.`,
  noButtonLeft: 'Mehr Knöpfe gehen nicht. Entfernen Sie einen, um einen neuen zu sichern.',
  icons: {
    letter: 'Brief',
    feeder: 'Blatt',
    both_sides: 'Zwei Seiten',
    glass: 'Glas',
    receipts: 'Beleg',
    card: 'Karte',
    school: 'Schule',
    house: 'Haus',
    health: 'Gesundheit',
    money: 'Bank',
    car: 'Auto',
    work: 'Arbeit',
    photo: 'Foto',
    star: 'Stern',
  },
  optionTitle: 'Titel des nächsten Scans',
  optionTitleHint: 'Wie ihn der Knopf vergibt',
  optionTags: 'Tags',
  optionTagsHint: 'Aus der Liste wählen',
  noTag: (tag) =>
    `Das Tag „${tag}“ gibt es nicht. Wählen Sie ein anderes, oder leeren Sie das Feld.`,
  removeTag: (tag) => `${tag} entfernen`,
  previousPage: 'Vorherige Seite',
  nextPage: 'Nächste Seite',
  zoom: 'Größer',
  close: 'Schließen',
  place: (place, all) => `Seite ${place} von ${all}`,
  leaveOut: 'Weglassen',
  putBack: 'Zurückholen',
  turnPage: 'Drehen',
  moveEarlier: 'Nach vorn',
  moveLater: 'Nach hinten',
  newDocument: 'Neues Dokument ab hier',
  noNewDocument: 'Kein neues Dokument hier',
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  crop: 'Zuschneiden',
  cropAdvice: 'Ziehen Sie die Ecken, oder drücken Sie eine und dann die Pfeile.',
  cropNow: 'Übernehmen',
  wholePage: 'Ganze Seite',
  cancel: 'Abbrechen',
  straighten: 'Gerade richten',
  cropFrame: 'Was bleibt',
  corners: {
    nw: 'Ecke oben links',
    ne: 'Ecke oben rechts',
    sw: 'Ecke unten links',
    se: 'Ecke unten rechts',
  },
  arrows: {
    ArrowLeft: 'Nach links',
    ArrowUp: 'Nach oben',
    ArrowDown: 'Nach unten',
    ArrowRight: 'Nach rechts',
  },
  scanAgain: 'Seite neu scannen',
  scanAgainAdvice:
    'Legen Sie nur diese Seite ein. Die neue kommt an die Stelle dieser Seite, die erhalten bleibt.',
  scanAgainNow: 'Jetzt scannen',
  fromGlass: 'Vom Glas',
  fromFeeder: 'Vom Einzug',
  useEarlier: 'Alte Seite nehmen',
  useNewer: 'Neue Seite nehmen',
  profileProblems: (count) =>
    `${n(count, 'Profil hat einen Fehler und ist', 'Profile haben einen Fehler und sind')} nicht nutzbar`,
  setUp: 'Prüfung der Einrichtung',
  setUpAgain: 'Noch einmal prüfen',
  setUpOperator: OPERATOR,
  setUpWords: 'Meldung des Dienstes:',
  setUpGood: 'Alles ist in Ordnung.',
  setUpOpen: (count) => `${count} nicht geprüft`,
  setUpBad: (count) => n(count, 'Problem', 'Probleme'),
  tokenTitle: 'Dieser Dienst ist geschützt',
  token: 'Passwort zum Scannen',
  tokenAdvice: 'Geben Sie das Passwort zum Scannen ein.',
  tokenAgain: 'Das Passwort wurde geändert, oder Ihre Anmeldung ist abgelaufen.',
  tokenWrong: 'Das ist nicht das Passwort. Fragen Sie die Person, die den Dienst eingerichtet hat.',
  tokenSend: 'Weiter',
};

/** @param {Facts} facts */
const kept = ({ page }) => `Sie bleibt, wie sie gescannt wurde: Seite ${page}.`;

/** @param {string | number | undefined} pages */
const pagesText = (pages) => `${/\D/.test(String(pages)) ? 'Seiten' : 'Seite'} ${pages}`;

/** @param {Facts} facts `said`: a program's own message */
const own = ({ said }) => (said === undefined ? '' : ` (${said})`);

/** @param {Facts} facts */
const dms = ({ system }) => system ?? 'Paperless-ngx';

/** @type {Record<string, string>} */
const KINDS = {
  tag: 'Tag',
  correspondent: 'Korrespondent',
  'document type': 'Dokumenttyp',
  'storage path': 'Speicherpfad',
  'custom field': 'benutzerdefiniertes Feld',
};

/** @param {Facts} facts */
const named = ({ kind = 'custom field', name }) =>
  `„${name?.replaceAll('", "', '“, „')}“ (${KINDS[kind.replace(/s$/, '')] ?? 'Name'})`;

/** @type {Record<string, string>} */
const AREAS = {
  'at the top': 'oben',
  'at the bottom': 'unten',
  'at the left edge': 'am linken Rand',
  'at the right edge': 'am rechten Rand',
  'in the middle': 'in der Mitte',
  'in several places': 'an mehreren Stellen',
};

/** @type {typeof import('./later-english.js').said} */
export const said = {
  max_pages: (f) =>
    `Der Scan endete bei seiner Grenze von ${f.max_pages} Seiten. Sehen Sie nach, ob noch Blätter im Einzug liegen.`,
  last_page_unfinished: () =>
    'Der Scanner hat seine letzte Seite nicht beendet. Prüfen Sie, ob das letzte Blatt dabei ist.',
  odd_sides: (f) => `${f.pages} ist eine ungerade Zahl von Seiten. Prüfen Sie, ob eine fehlt.`,
  one_page_only: () =>
    `Es wurde nur eine Seite gescannt: Das Profil sagt nicht, dass der Scanner einen Einzug hat. ${OPERATOR}`,
  other_size: (f) =>
    `Anderes Papierformat als im Profil: ${pagesText(f.pages)}, ${f.size}, nicht ${f.expected} mm. Prüfen Sie, ob etwas abgeschnitten ist.`,
  paper_cut: (f) =>
    `Der Scanner ist etwas kleiner als das Papier: ${f.size} von ${f.paper} sind auf der Seite. Prüfen Sie, ob am Rand etwas fehlt.`,
  area_unusable: (f) =>
    `Dem Scanner lässt sich nicht sagen, wie groß das Papier ist: ${pagesText(f.pages)}, ${f.size}, nicht ${f.expected} mm. Prüfen Sie, ob etwas abgeschnitten ist. ${OPERATOR}`,
  sheets_may_be_missing: (f) =>
    `${f.page === undefined ? 'Wo der Einzug angehalten hat,' : `Nach Seite ${f.page}`} ${f.sheets === 1 ? 'fehlt vielleicht ein Blatt' : `fehlen vielleicht bis zu ${f.sheets} Blätter`}. Sind alle Seiten da, ist alles gut.`,
  not_examined: (f) => `Eine Seite konnte nicht untersucht werden. ${kept(f)}`,
  not_straightened: (f) => `Eine Seite konnte nicht gerade gerichtet werden. ${kept(f)}`,
  not_cut_out: (f) => `Eine Seite konnte nicht auf ihr Papier zugeschnitten werden. ${kept(f)}`,
  not_turned: (f) => `Eine Seite konnte nicht aufrecht gedreht werden. ${kept(f)}`,
  not_bilevel: (f) => `Eine Seite konnte nicht schwarzweiß gemacht werden. ${kept(f)}`,
  codes_not_read: (f) => `Codes auf Seite ${f.page} waren nicht lesbar.`,
  codes_not_listed: (f) =>
    `Seite ${f.page} hat mehr Codes als nutzbar sind: ${f.count} bleiben ungenutzt.`,
  text_not_read: (f) =>
    `Der Text von Seite ${f.page} war nicht lesbar: Eine Suche findet ihn nicht. Scannen Sie sie noch einmal, wenn das wichtig ist.`,
  several_images: (f) => `Seite ${f.page}: Von ${f.images} Bildern blieb nur das erste.`,
  more_warnings: (f) => `Zu Seite ${f.page} gibt es noch mehr zu beachten.`,
  uncut: (f) =>
    `Der Scanner zeigt nicht, wo das Papier endet: Von ${pagesText(f.pages)} wurde nichts abgeschnitten.`,
  dirty_glass: (f) =>
    `Streifen auf ${pagesText(f.pages)}: Wischen Sie das Glas des Scanners ab, ${f.places} mm vom linken Rand.`,
  dirty_front_glass: (f) =>
    `Streifen auf ${pagesText(f.pages)}: Wischen Sie das Glas der Vorderseite ab, ${f.places} mm vom linken Rand.`,
  dirty_back_glass: (f) =>
    `Streifen auf ${pagesText(f.pages)}: Wischen Sie das Glas der Rückseite ab, ${f.places} mm vom linken Rand.`,
  nearly_blank: (f) => `Seite ${f.page} ist fast leer. Sie bleibt dabei.`,
  nothing_follows: (f) =>
    `Auf Seite ${f.page}, ein Trennblatt, folgt keine Seite: Was darauf steht, wird nicht benutzt.`,
  code_not_used: (f) => `Der Code „${f.text}“ auf Seite ${f.page} wird nicht benutzt.`,
  code_unknown: () => 'Ein Trennblatt nennt etwas, das Paperless-ngx nicht hat.',
  repeated_number: (f) =>
    `Das Dokument ab Seite ${f.page} hat die Nummer eines früheren, ${f.number}. Es wurde ohne sie abgelegt.`,
  no_number: () => `Dem Titel fehlt die Nummer, weil das Profil keine Codes liest. ${OPERATOR}`,
  low_confidence: (f) =>
    `Der Text ist schlecht lesbar auf ${pagesText(f.pages)}: Die Suche findet vielleicht nicht alles, und Beträge können falsch sein. ${f.dpi === undefined ? 'Scannen Sie noch einmal, wenn die Seite blass, unscharf oder schief ist.' : 'Scannen Sie noch einmal mit 300 dpi.'}`,
  no_text: (f) =>
    `Auf ${pagesText(f.pages)} wurde kein Text gefunden: Die Suche findet dort nichts. Bei einem Bild ist das richtig.`,
  print_not_read: (f) =>
    `Auf ${pagesText(f.pages)} wurde Text ${AREAS[String(f.where)] ?? ''} nicht gelesen: Die Suche findet ihn nicht. Bei Bildern und Handschrift ist das richtig. Scannen Sie sonst noch einmal, glatt und gerade.`,
  card_too_large: () =>
    'Die zwei Seiten passen nicht auf ein Blatt: Jede hat ein eigenes. Prüfen Sie, ob es eine Karte ist.',
  sides_differ: (f) =>
    `Vorderseiten: ${parseInt(String(f.fronts), 10)}, Rückseiten: ${parseInt(String(f.backs), 10)}. Die Seiten stehen in der Reihenfolge des Scannens.`,
  short_stack: () =>
    'Der Einzug hielt an, bevor er leer war: Abgelegt wird nur, was gescannt wurde.',
  remade: (f) => `${f.file} war auf der Platte beschädigt und wurde aus den Seiten neu erstellt.`,
  page_gone: (f) => `${f.file} ist nicht mehr gespeichert und fehlt.`,
  page_not_whole: (f) => `${f.file} ist beschädigt und fehlt.`,
  not_replaced: (f) =>
    `Seite ${f.page} wurde gerade neu gescannt, als der Dienst anhielt. ${f.file} ist gespeichert und wird nicht abgelegt.`,
  still_stopping: () =>
    'Der Einzug hielt noch an. Laden Sie die Seite neu, um die letzten Seiten zu sehen.',
  destination_down: (f) =>
    `Paperless-ngx nimmt zurzeit vielleicht nichts an (${f.system}). ${OPERATOR}`,
  serial_number_in_use: (f) =>
    `Das Dokument ${f.id} dort hat die Nummer ${f.number} schon: Dieses wird ohne sie abgelegt.`,
  already_there: (f) =>
    `Es ist dort schon, mit der Nummer ${f.id}, und wurde nicht noch einmal gesendet.`,
  being_filed: () =>
    'Es wartet dort oder wird gerade abgelegt und wurde nicht noch einmal gesendet.',
  resend_failed: (f) =>
    `Es ließ sich nicht noch einmal an ${dms(f)} senden; dort hat sich nichts geändert.`,
  outcome_unknown: (f) =>
    `Niemand weiß, ob „${f.title ?? f.filename}“ angekommen ist. Suchen Sie es dort; senden Sie es nur noch einmal, wenn es fehlt.`,
  unreachable: (f) =>
    `${dms(f)} ist nicht erreichbar${own(f)}. Prüfen Sie, ob es läuft, und senden Sie noch einmal.`,
  certificate: (f) => `Das Zertifikat von ${dms(f)} wird nicht angenommen. ${OPERATOR}`,
  wrong_address: (f) =>
    `${f.system ?? 'Die Adresse'} antwortet nicht wie Paperless-ngx${own(f)}. ${OPERATOR}`,
  broken_off: (f) => `Beim Senden brach die Verbindung ab${own(f)}. Prüfen Sie das Netzwerk.`,
  no_answer: (f) => `${dms(f)} hat es bekommen und nicht geantwortet${own(f)}.`,
  file_unreadable: () => `Das Dokument ließ sich nicht lesen. ${OPERATOR}`,
  log_in: (f) => `Vor ${dms(f)} steht eine Anmeldung. ${OPERATOR}`,
  token: (f) => `Das Token von Paperless-ngx fehlt oder ist falsch${own(f)}. ${OPERATOR}`,
  permission: (f) =>
    `Das Konto dort darf keine Dokumente hinzufügen${own(f)}. Erlauben Sie es in Paperless-ngx.`,
  too_large: (f) =>
    `${f.megabytes} MB sind zu viel für den Weg zu Paperless-ngx${own(f)}. ${OPERATOR}`,
  too_many: () => 'Paperless-ngx hat zu viel zu tun. Senden Sie später noch einmal.',
  metadata: (f) =>
    `Paperless-ngx lehnt Titel, Tags oder Namen ab${own(f)}. Korrigieren Sie das Profil.`,
  system_failed: (f) =>
    `Paperless-ngx hat einen Fehler${own(f)}. Sehen Sie nach, ob es läuft, und senden Sie noch einmal.`,
  name_missing: (f) =>
    `${named(f)} gibt es dort nicht. Legen Sie an, was fehlt, und senden Sie noch einmal.${f.near === undefined ? '' : ` Ähnlich: ${f.near.replaceAll('" or "', '", "')}.`}`,
  name_unusable: (f) => `${named(f)} lässt sich dort nicht verwenden. ${OPERATOR}`,
  deadline: () => 'Die Zeit des Scans war um. Senden Sie noch einmal.',
  not_begun: () => 'Es wurde noch nicht gesendet.',
  cut_off: () => 'Der Dienst wurde beendet, während es gesendet wurde.',
  left_system: (f) => `Es ging früher an ${f.systems} und wird nicht doppelt gesendet. ${OPERATOR}`,
};
