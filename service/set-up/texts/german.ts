import type { ENGLISH } from './english.ts';

export const GERMAN: Readonly<Record<keyof typeof ENGLISH, string>> = {
  'scanner.searching': 'Scanner werden gesucht. Das dauert bis zu einer halben Minute …',
  'scanner.none_found':
    'Es wurde kein Scanner gefunden. Netzwerk-Scanner: Die Adresse steht auf der Anzeige des Geräts oder in Ihrem Router. ' +
    'USB-Scanner: Einschalten, Kabel prüfen und noch einmal suchen. Sie können den Scanner auch später einrichten.',
  'scanner.answers': 'Der Scanner antwortet: {device}',
  'scanner.later': 'Den Scanner richten Sie später ein, sobald er da ist.',
  'scanner.not_an_address':
    '„{given}“ ist weder eine Adresse wie 192.168.1.50 noch ein Gerätename von SANE.',
  'scanner.no_answer':
    'Unter {address} antwortet kein eSCL-Scanner (AirScan, Mopria). Prüfen Sie die Adresse und ob der Scanner eingeschaltet ist.\n{reasons}',
  'scanner.local_address':
    '{address} ist dieses Gerät selbst oder keine Adresse in Ihrem Netz. Geben Sie die Adresse ein, die der Scanner anzeigt.',
  'scanner.name': 'Den Namen {address} kennt Ihr Netz nicht. Geben Sie die Adresse in Ziffern ein.',
  'scanner.tcp':
    'Unter {address} antwortet nichts. Prüfen Sie die Adresse und ob der Scanner eingeschaltet und im selben Netz ist.',
  'scanner.other':
    'Unter {address} antwortet etwas anderes als ein Scanner mit eSCL (AirScan, Mopria). Prüfen Sie die Adresse.',
  'scanner.silent':
    'Der Scanner antwortet nicht. Schalten Sie ihn ein, prüfen Sie Kabel und Netzwerk und versuchen Sie es noch einmal.',
  'scanner.busy':
    'Der Scanner wird anderswo benutzt. Warten Sie, bis er frei ist, und versuchen Sie es noch einmal.',
  'scanner.no_runtime':
    'Der Teil des Dienstes, der den Scanner bedient, läuft nicht. Auf dem Rechner: npm run doctor.',
  'scanner.refused': 'Der Scanner lässt sich nicht verwenden. Meldung: {message}',
  'scanner.failed':
    'Der Scanner meldet einen Fehler. Schalten Sie ihn aus und wieder ein, warten Sie eine Minute und versuchen Sie es noch einmal.',
  'paperless.answers': 'Dort antwortet Paperless-ngx.',
  'paperless.token_good': 'Das Token stimmt: Es darf Dokumente hinzufügen.',
  'paperless.no_views':
    'Das Konto des Tokens darf {kind} nicht ansehen, deshalb stehen hier keine zur Auswahl.',
  'paperless.not_an_address':
    'Das ist keine Adresse von Paperless-ngx. Sie sieht aus wie http://192.168.1.10:8000, ohne das, was im Browser dahinter steht.',
  'paperless.is_token':
    'Das sieht nach einem Token aus. Eine Adresse sieht aus wie http://192.168.1.10:8000.',
  'paperless.local_address':
    '{address} ist dieses Gerät selbst oder keine Adresse in Ihrem Netz. Geben Sie die Adresse ein, unter der andere Geräte Paperless-ngx erreichen.',
  'paperless.name':
    'Den Namen in {address} kennt Ihr Netz nicht. Geben Sie die Adresse in Ziffern ein.',
  'paperless.tcp':
    'Unter {address} antwortet nichts. Prüfen Sie Adresse und Port (meist 8000) und ob Paperless-ngx läuft.',
  'paperless.tls':
    'Dem Zertifikat von {address} wird hier nicht vertraut. In deploy/paperless/README.md steht, wie Sie Ihre Zertifizierungsstelle eintragen.',
  'paperless.api':
    'Unter {address} antwortet etwas anderes als Paperless-ngx. Prüfen Sie die Adresse, den Port (meist 8000) und ob sie mit https:// beginnt.',
  'paperless.slow':
    '{address} braucht zu lange für eine Antwort. Wurde Paperless-ngx gerade gestartet? Dann warten Sie eine Minute und versuchen es noch einmal.',
  'paperless.api_path':
    'Unter {address} antwortet etwas anderes als Paperless-ngx. Haben Sie die Adresse aus dem Browser kopiert? Dann lassen Sie alles nach dem Host weg: {origin}',
  'paperless.no_tls':
    '{address} verwendet kein https. Lassen Sie die Adresse mit http:// beginnen.',
  'paperless.version': 'Die Version von Paperless-ngx unter {address} wird nicht unterstützt.',
  'paperless.wrong_login': 'Paperless-ngx hat den Benutzernamen oder das Passwort abgelehnt.',
  'paperless.mfa':
    'Dieses Konto verlangt einen Code aus der Authenticator-App. Geben Sie einen neuen ein.',
  'paperless.throttled':
    'Paperless-ngx lässt gerade keine weitere Anmeldung zu. Warten Sie eine Minute und versuchen Sie es noch einmal.',
  'paperless.not_a_token':
    'Das ist kein Token. Kopieren Sie es in Paperless-ngx aus „Mein Profil“: Es hat 40 Buchstaben und Ziffern.',
  'paperless.token':
    'Paperless-ngx hat das Token abgelehnt. Kopieren Sie es noch einmal aus „Mein Profil“.',
  'paperless.token_length':
    'Paperless-ngx hat das Token abgelehnt. Kopieren Sie es noch einmal aus „Mein Profil“. Ein Token hat 40 Buchstaben und Ziffern, dieses hat {length}.',
  'paperless.permission':
    'Dieses Konto darf keine Dokumente hinzufügen. Erlauben Sie es ihm in Paperless-ngx, oder nehmen Sie ein anderes.',
  'languages.unknown': '„{given}“ ist weder eine Sprache wie Deutsch noch ein Kürzel wie deu.',
  'languages.missing':
    'Noch nicht installiert: {names}. Sie können weitermachen. Bis dahin werden solche Texte mit den installierten Sprachen gelesen, und Buchstaben, die diesen fehlen, gehen verloren, zum Beispiel Umlaute. ' +
    'Bitten Sie die Person, die den Rechner eingerichtet hat, um Folgendes: Mit Docker `{languages}` in der Datei .env bei OCR_LANGUAGES ergänzen und `docker compose up --detach --build` ausführen. ' +
    'Ohne Docker `apt-get install {packages}` ausführen.',
  'time_zone.unknown':
    'Die Zeitzone „{given}“ gibt es nicht. Zeitzonen heißen zum Beispiel Europe/Berlin.',
  'profile.trigger':
    'Das startet schon „{other}“. Wählen Sie einen anderen Knopf oder eine andere Funktion.',
  'profile.no_paperless':
    'Paperless-ngx ist noch nicht eingerichtet. Holen Sie das nach, oder lassen Sie die Dokumente auf dem Rechner.',
  'access.token_set': 'Ein Zugangstoken ist schon gesetzt, in secrets/scan_api_token.',
  'access.without_token':
    'Ohne Passwort kann jeder in Ihrem Netz scannen und lesen, was gescannt wurde. Mit Passwort fragt die Seite auf jedem Gerät ' +
    'einmal danach, und andere Programme schicken es mit.',
};
