import { createReader, fill, type FactsOf, type ParsedSentence } from '../../helpers/sentences.ts';
import { explainWarning } from '../../helpers/warnings.ts';

/**
 * Why a document was not delivered. `service/page/texts/` translates this. `{said}` quotes a
 * program.
 */
const CAUSES = {
  // Nothing was sent:
  'unreachable/lookup':
    'The name server did not answer{within}: {system} cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.',
  'unreachable/name':
    'The name server does not answer: {system} cannot be looked up. Check the network and its DNS, or give the address in digits in base_url.',
  'unreachable/unknown': 'The host name of {system} was not found (DNS). Check base_url.',
  'unreachable/time':
    'No connection to {system} could be made{within}. Check that the host is up and that no firewall blocks it.',
  'unreachable/refused': 'Connection refused at {system}. Check that Paperless-ngx is running.',
  'unreachable/host': 'There is no route to {system}. Check that the host is up.',
  'unreachable/network': 'There is no route to {system}. Check that the network is up.',
  'unreachable/other':
    'The connection to {system} failed ({said}). Check base_url and the network.',
  'unreachable/names': 'The {kind} "{name}" cannot be looked up. {cause}',
  'certificate/self_signed':
    'The TLS certificate of {system} is self-signed. Give it to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).',
  'certificate/private':
    'The TLS certificate of {system} comes from a private authority. Give the certificate of that authority to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).',
  'certificate/chain':
    'The TLS certificate of {system} is sent without the certificates between it and its authority. Add them on that server.',
  'certificate/unknown':
    'The TLS certificate of {system} comes from an unknown authority. Give the certificate of that authority to the service with NODE_EXTRA_CA_CERTS (see deploy/paperless).',
  'certificate/expired': 'The TLS certificate of {system} has expired. Renew it.',
  'certificate/early':
    'The TLS certificate of {system} is not valid yet. Check the clock of this machine.',
  'certificate/name': 'The TLS certificate of {system} is for another host name. Check base_url.',
  'wrong_address/tls': '{system} set up no TLS connection{within}. Check base_url.',
  'wrong_address/plain':
    '{system} does not speak TLS ({said}). Begin base_url with http:// if that is intended.',
  // The document was sent, but there was no answer:
  'broken_off/slow': '{system} read the document too slowly. Check the network.',
  'broken_off/stuck': 'The upload to {system} did not move for {seconds}. Check the network.',
  'broken_off/closed':
    '{system} closed the connection during the upload ({said}). Check the body limit of the reverse proxy.{never}',
  'no_answer/time':
    '{system} received the document and did not answer within {seconds}. Check its log.',
  'no_answer/closed':
    '{system} received the document and closed the connection without an answer ({said}). Check its log.{never}',
  'wrong_address/http': '{system} did not answer in HTTP ({said}). {advice}',
  file_unreadable:
    'The document could not be read while it was uploaded. Check the disk of the scan directory.',
  'file_unreadable/before': '{document} cannot be uploaded. Check the scan directory. ({said})',
  // The answer was no task id:
  'wrong_address/task': '{system} answered {#status} without a task id ({said}). Check base_url.',
  'log_in/page':
    'A reverse proxy before {system} sends uploads to a log-in page, {target} ({said}). Exempt /api/ from that log-in.',
  'log_in/asked':
    'A reverse proxy before {system} asks for a log-in of its own ({said}). Exempt /api/ from that log-in.',
  'wrong_address/nowhere': '{system} redirects uploads to nowhere ({said}). Check base_url.',
  'wrong_address/itself': '{system} redirects uploads to itself ({said}). Check the reverse proxy.',
  'wrong_address/elsewhere':
    '{system} redirects uploads to {target} ({said}). Set base_url to the final address of Paperless-ngx.',
  'token/refused': 'The API token was refused ({said}). Check the secret {secret}.',
  'wrong_address/no_api': 'There is no API of Paperless-ngx at {system} ({said}). Check base_url.',
  'wrong_address/version':
    'Paperless-ngx has no API version that this service knows, or a reverse proxy changes the Accept header ({said}). Check both.',
  too_large:
    'The document has {megabytes} MB, which is too large for the reverse proxy ({said}). Raise its body limit.',
  too_many: 'Paperless-ngx gets too many requests ({said}). Try again {later}.',
  'wrong_address/refused':
    '{system} refused the upload ({said}). Check base_url and the reverse proxy.',
  'metadata/fields':
    'This Paperless-ngx takes no values for custom fields ({said}). Update it to 2.19 or newer.',
  'metadata/refused':
    'Paperless-ngx refused the metadata ({said}). Correct the destination in the profile, or the metadata of the request.',
  'wrong_address/expects_tls': '{system} expects TLS ({said}). Begin base_url with https://.',
  'wrong_address/host':
    'The request was refused before it reached the API of Paperless-ngx ({said}). Check base_url, and that its host is in PAPERLESS_ALLOWED_HOSTS.',
  permission:
    'The user of the token may not add documents ({said}). Grant that user the permission to add documents.',
  'wrong_address/not_paperless':
    '{system} is not the API of Paperless-ngx ({said}). Check base_url, and that no reverse proxy refuses /api/.',
  'system_failed/proxy':
    'The reverse proxy got no answer from Paperless-ngx ({said}). Check that Paperless-ngx is running.',
  'wrong_address/other':
    '{system} did not answer as Paperless-ngx does ({said}). Check base_url and the reverse proxy.',
  system_failed: 'Paperless-ngx failed ({said}). Check its log{more}.',
  'wrong_address/none':
    'The base_url of the destination is not a plain http:// or https:// address. Correct it in the profile.',
  // The token cannot be used:
  'token/no_name':
    'The token_secret of this destination is not the name of a secret. Store the token in a file of the secrets directory and give the name of that file.',
  'token/unreadable': 'The token cannot be read. Correct its file. ({said})',
  'token/missing': 'There is no API token. Create the secret {secret} or set {variable}.',
  'token/more': 'The secret {secret} holds more than a token. Store only the token in it.',
  // A name cannot be used:
  'name_missing/near': 'There is no {kind} named "{name}" in {system}. Did you mean {near}?',
  'name_missing/id':
    'There is no {kind} named "{name}" in {system}. If you mean the id of "{near}", write {#id} without quotes.',
  name_missing:
    'There is no {kind} named "{name}" in {system}. Create it there, or correct the name.',
  'name_unusable/several':
    'There are several {kind} named "{name}" in {system}, with the ids {ids}. Give the id of one of them.',
  'name_unusable/hidden':
    'The {kind} "{name}" cannot be looked up in {system}: the user of the token may not view {kinds}. Grant that permission, or give the id instead of the name.',
  'name_unusable/created': 'The {kind} "{name}" cannot be created in {system}. {cause}',
  'name_unusable/value':
    'The custom field "{name}" cannot have the value {value}. Give {expected}.',
  // The call ended, or did not get this far:
  'deadline/before': 'The deadline passed before the upload began.',
  'deadline/during': 'The deadline passed during the upload.',
  'deadline/connecting': 'The deadline passed while connecting to {system}.',
  not_begun: 'The upload has not begun.',
  cut_off: 'The upload was cut off.',
  left_system:
    'This document was sent to {systems} before, which the profile no longer names. To send it here as well, POST {body} to {path}.',
} as const;

export const CAUSE_SENTENCES: Readonly<Record<string, string>> = CAUSES;

export function cause<Key extends keyof typeof CAUSES>(
  key: Key,
  facts: FactsOf<(typeof CAUSES)[Key]>,
): string {
  return fill(CAUSES[key], facts);
}

export const SEARCH_FIRST =
  'The document may have been accepted: search for it before sending it again.';

const read = createReader(CAUSES);

/** Recognizes the cause in an `error` text. Undefined if another version worded it. */
export function explainCause(error: string): ParsedSentence | undefined {
  const text = error.endsWith(` ${SEARCH_FIRST}`)
    ? error.slice(0, -SEARCH_FIRST.length - 1)
    : error;
  const said = explainNames(text) ?? read(text) ?? explainWarning(text);
  // A problem with a name may have a cause of its own, which explains more.
  const why = said?.facts['cause'];
  return (typeof why === 'string' ? read(why) : undefined) ?? said;
}

const NAME_SENTENCE = / (?=(?:There (?:is no|are several) [a-z ]+ named|The [a-z ]+) ")/;

/**
 * Combines sentences about several unusable names: the code of the first, with all names that have
 * this code (`a", "b`).
 */
function explainNames(text: string): ParsedSentence | undefined {
  const [first, ...others] = text.split(NAME_SENTENCE).map(read);
  if (!first || others.length === 0) return undefined;
  const alike = others.filter((one) => one?.code === first.code);
  const names = [first, ...alike].map((one) => one?.facts['name']);
  const isOneKind = alike.every((one) => one?.facts['kind'] === first.facts['kind']);
  const facts = { ...first.facts, ...(!isOneKind && { kind: 'name' }), name: names.join('", "') };
  return { code: first.code, facts };
}
