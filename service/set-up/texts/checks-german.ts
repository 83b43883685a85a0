import { GERMAN } from './german.ts';

/**
 * Results of the self-test in German, by the key of the result, or else by check and status, as in
 * `clock.fail`. `{found}`, `{expected}`, `{subject}` and `{message}` stand for fields of the result,
 * `{count}` and `{limit}` for the numbers in `found` and `expected`, and others for its facts.
 */
export const GERMAN_CHECKS: Readonly<Record<string, string>> = {
  needs: 'Nicht geprüft, weil schon etwas davor nicht geht.',
  late: 'Es kam nicht rechtzeitig eine Antwort.',
  unlooked: 'Das ließ sich nicht prüfen. Auf dem Rechner sagt „npm run doctor“ mehr.',

  'clock.ok': 'Die Uhr ist gestellt.',
  'clock.fail':
    'Die Uhr steht auf {found}. Stellen Sie sie oder lassen Sie NTP durch: Die Namen der Scans und TLS hängen davon ab.',

  'profiles.ok': 'Geladen: {found}.',
  'profiles.fail':
    'Kein Profil ist geladen. Korrigieren Sie die genannten Dateien, oder legen Sie ein Profil in den Ordner für Profile.',
  'profiles.file.skipped': 'Wird mitgeliefert, aber nicht angeboten. Meldung: {message}',
  'profiles.file.fail': 'Ist nicht geladen. Korrigieren Sie die Datei. Meldung: {message}',

  'secrets.caller_token.ok': 'Zum Scannen braucht man das Passwort.',
  'secrets.caller_token.none': 'Es gibt kein Passwort zum Scannen: Alle im Netz können scannen.',
  'secrets.caller_token.warn':
    'Das Passwort zum Scannen ist kurz und lässt sich erraten. Nehmen Sie mindestens {limit} Zeichen.',
  'secrets.caller_token.fail':
    'Das Passwort zum Scannen lässt sich nicht lesen, deshalb wird jede Anfrage abgelehnt. Korrigieren Sie auf dem Rechner das Secret scan_api_token.',
  'secrets.token.ok': 'Das Token lässt sich lesen.',
  'secrets.token.fail':
    'Das Token für Paperless-ngx fehlt oder lässt sich nicht lesen. Verbinden Sie Paperless-ngx in den Einstellungen noch einmal.',

  'settings.ok': 'Die Einstellungen des Dienstes lassen sich lesen und schreiben.',
  'settings.skipped': 'Der Dienst hat keine eigenen Einstellungen gespeichert.',
  'settings.warn':
    'Die Einstellungen des Dienstes lassen sich lesen, aber nicht schreiben. Meldung: {message}',
  'settings.fail': 'Die Einstellungen des Dienstes sind unbrauchbar. Meldung: {message}',

  'storage.none': 'Der Ordner ist noch nicht da: Der erste Scan legt ihn an.',
  'storage.writable.ok': 'Der Dienst kann dort schreiben.',
  'storage.writable.fail': 'Der Dienst kann dort nicht schreiben. Meldung: {message}',
  'storage.owner.ok': 'Kein anderer Dienst benutzt den Ordner.',
  'storage.owner.fail':
    'Ein anderer Dienst benutzt den Ordner. Halten Sie einen der beiden an, oder geben Sie ihm einen eigenen.',
  'storage.scans.ok': 'Die Scans darin lassen sich lesen.',
  'storage.scans.fail':
    'Scans darin gehören einem anderen Benutzer, und der Dienst kann sie nicht lesen. Meldung: {message}',
  'storage.free.ok': 'Platz für etwa {count} Seiten.',
  'storage.free.warn':
    'Platz nur für etwa {count} Seiten, und ein Profil erlaubt {limit} je Scan. Schaffen Sie Platz: Alte Scans löscht der Dienst nie.',
  'storage.free.fail': 'Der Datenträger ist voll. Schaffen Sie Platz.',
  'storage.sync.ok': 'Nach {found} ist 1 MB sicher gespeichert.',
  'storage.sync.warn':
    'Erst nach {found} ist 1 MB sicher gespeichert. Nehmen Sie einen anderen Datenträger: Vielleicht ist die SD-Karte verschlissen oder die Netzwerkfreigabe langsam.',
  'storage.sync.fail': 'Eine Datei lässt sich nicht schreiben. Prüfen Sie den Datenträger.',

  'runtime.ok': 'Der Teil des Dienstes, der den Scanner bedient, läuft.',
  'runtime.unknown':
    'Der Teil des Dienstes, der den Scanner bedient, startet noch. Warten Sie eine Minute und prüfen Sie noch einmal.',
  'runtime.fail': GERMAN['scanner.no_runtime'],
  'scanner.ok': 'Der Scanner antwortet.',
  'scanner.cover': 'Eine Klappe ist offen. Schließen Sie sie.',
  'scanner.warn':
    'Der Scanner hat nicht rechtzeitig geantwortet. Wecken Sie ihn an seiner Anzeige, oder schalten Sie ihn aus und wieder ein.',
  'scanner.silent':
    'Der Scanner hat zweimal nicht geantwortet. Schalten Sie ihn aus und wieder ein, und prüfen Sie Kabel und Netzwerk.',
  'scanner.fail':
    'Der Scanner lässt sich nicht öffnen. Schalten Sie ihn ein, prüfen Sie Kabel und Netzwerk, und ob ein anderes Programm ihn benutzt.',
  'scanner.busy': 'Nicht geprüft: Es wird gerade gescannt.',
  'scanner.skipped': 'Nicht geprüft: Nur mitgelieferte Profile benutzen diesen Scanner.',
  'scanner.unknown':
    'Es blieb keine Zeit, den Scanner zu fragen. Prüfen Sie noch einmal, wenn der Rechner weniger zu tun hat.',
  'scanner.options.ok': 'Der Scanner kann, was dieses Profil verlangt.',
  'scanner.options.warn':
    'Der Scanner hält sich nicht an die Größe des Papiers. Meldung: {message}',
  'scanner.options.skipped': 'Wird nicht angeboten, weil der Scanner es nicht kann.',
  'scanner.options.fail': 'Der Scanner kann nicht, was dieses Profil verlangt. Meldung: {message}',
  'scanner.options.unknown': 'Es blieb keine Zeit, den Scanner zu fragen.',

  'trigger.ok': 'Wartet auf das Papier oder die Taste am Scanner.',
  'trigger.unknown': 'Die Sensoren des Scanners wurden noch nicht abgefragt.',
  'trigger.warn':
    'Der Scanner meldet seit mindestens einem Tag keinen Wechsel, oder seine Sensoren lassen sich nicht lesen. Meldung: {message}',
  'trigger.fail': 'Ein Scan lässt sich so nicht am Scanner starten. Meldung: {message}',

  'processor.ok': 'Die Texterkennung läuft.',
  'processor.warn':
    'Die Texterkennung startet noch. Warten Sie eine Minute und prüfen Sie noch einmal.',
  'processor.fail': 'Die Texterkennung läuft nicht. Auf dem Rechner: npm run doctor.',
  'processor.chosen_languages.ok': 'Die gewählten Sprachen sind installiert.',
  'processor.chosen_languages.skipped': 'Nicht geprüft: Die Texterkennung startet noch.',
  'processor.chosen_languages.warn':
    '{names}: noch nicht installiert. Der Befehl steht unter „Sprachen und Zeitzone“.',
  'processor.languages.ok': 'Die Sprachen dieses Profils werden gelesen.',
  'processor.languages.skipped': 'Nicht geprüft: Die Texterkennung startet noch.',
  'processor.languages.fail':
    'Eine Sprache dieses Profils ist nicht installiert. Meldung: {message}',

  'dms.name.ok': 'Der Name ist bekannt.',
  'dms.tcp.ok': 'Dort antwortet etwas.',
  'dms.tls.ok': 'Dem Zertifikat wird vertraut.',
  'dms.api.ok': 'Es antwortet wie Paperless-ngx.',
  'dms.api.warn':
    'Die Antwort kam erst nach {found}. Abgelegt wird trotzdem. Ist das immer so, braucht Paperless-ngx mehr Speicher oder einen schnelleren Datenträger.',
  'dms.version.ok': 'Der Dienst kennt diese Version der Schnittstelle.',
  'dms.token.ok': 'Das Token stimmt.',
  'dms.permission.ok': 'Das Konto darf Dokumente hinzufügen.',
  'dms.release.ok': 'Es ist Paperless-ngx {found}.',
  'dms.release.warn':
    'Paperless-ngx {found} ist älter als die Versionen, mit denen der Dienst erprobt ist. Aktualisieren Sie es.',
  'dms.release.unknown': 'Es sagt nicht, welche Version es ist.',
  'dms.clock.ok': 'Beide Uhren gehen gleich.',
  'dms.clock.warn':
    'Die Uhren dieses Rechners und von Paperless-ngx weichen um {found} voneinander ab. Stellen Sie beide, oder lassen Sie NTP durch.',
  'dms.clock.unknown': 'Es sagt nicht, wie spät es dort ist.',
  'dms.upload_limit.ok': 'Auch große Dokumente werden angenommen.',
  'dms.upload_limit.skipped': 'Es sagt vorher nicht, wie groß ein Dokument sein darf.',
  'dms.upload_limit.unknown': 'Die Verbindung brach ab, als ein großes Dokument angekündigt wurde.',
  'dms.upload_limit.warn':
    'Der Reverse-Proxy vor Paperless-ngx lehnt Dokumente von {expected} ab. Erhöhen Sie seine Grenze, in nginx mit client_max_body_size 1g.',
  'dms.worker.ok': 'Es legt ab, was es bekommt.',
  'dms.worker.skipped': 'Ob Paperless-ngx gerade ablegt, darf das Konto nicht fragen.',
  'dms.worker.unknown': 'Ob Paperless-ngx gerade ablegt, ließ sich nicht fragen.',
  'dms.worker.warn':
    'Paperless-ngx nimmt Dokumente an, legt sie aber nicht ab. Prüfen Sie Redis und Celery ({found}).',
  'dms.metadata.ok': 'Tags, Korrespondent, Dokumenttyp und Speicherpfad des Profils gibt es dort.',
  'dms.metadata.unknown': 'Ob es die Tags und Namen des Profils dort gibt, ließ sich nicht fragen.',
  'dms.metadata.missing':
    'In Paperless-ngx fehlt oder ist mehrdeutig, was das Profil „{label}“ nennt: {names}. Legen Sie es dort an, oder ändern Sie das Profil.',
  'dms.metadata.fail': 'Etwas, das dieses Profil nennt, fehlt dort. Meldung: {message}',
};

/** Subjects of checks that are no names. */
export const GERMAN_SUBJECTS: Readonly<Record<string, string>> = {
  'this machine': 'Dieser Rechner',
  profiles: 'Profile',
  'Chosen languages': 'Gewählte Sprachen',
  scan_api_token: 'Passwort zum Scannen',
  dms_api_token: 'Token für Paperless-ngx',
};
