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
  'scanner.refused': 'Der Scanner lässt sich nicht verwenden. Meldung: {message}',
  'paperless.answers': 'Dort antwortet Paperless-ngx.',
  'paperless.token_good': 'Das Token stimmt: Es darf Dokumente hinzufügen.',
  'paperless.no_views':
    'Das Konto des Tokens darf {kind} nicht ansehen, deshalb stehen hier keine zur Auswahl.',
  'languages.unknown': '„{given}“ ist weder eine Sprache wie Deutsch noch ein Kürzel wie deu.',
  'time_zone.unknown':
    'Die Zeitzone „{given}“ gibt es nicht. Zeitzonen heißen zum Beispiel Europe/Berlin.',
  'access.token_set': 'Ein Zugangstoken ist schon gesetzt, in secrets/scan_api_token.',
  'access.without_token':
    'Ohne Passwort kann jeder in Ihrem Netz scannen und lesen, was gescannt wurde. Mit Passwort fragt die Seite auf jedem Gerät ' +
    'einmal danach, und andere Programme schicken es mit.',
};
