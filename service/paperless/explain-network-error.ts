import { cause } from './causes.ts';
import type { Judgement } from './destination.ts';
import {
  ABORTED,
  UNREADABLE_BODY,
  type NoResponse,
  type RequestTimeouts,
} from '../http-client/tracked-request.ts';

/** Decides whether an upload without a response was refused or may have arrived. */
export function explainNetworkError(
  failed: NoResponse,
  name: string,
  timeouts: RequestTimeouts,
): Judgement {
  const seconds = failed.timeout && `${timeouts[failed.timeout] / 1000} s`;
  if (failed.connected) return { outcome: 'unknown', cause: explainSent(failed, name, seconds) };
  return {
    outcome: 'refused',
    cause: explainUnsent(failed, name, seconds && ` within ${seconds}`),
  };
}

/** Explains why no connection was made, by the phase that timed out or the error code. */
export function explainUnsent(
  { code, timeout }: Pick<NoResponse, 'code' | 'timeout'>,
  name: string,
  within = '',
): string {
  const system = name;
  const problems: Readonly<Record<string, string>> = {
    [UNREADABLE_BODY]: cause('file_unreadable', {}),
    lookup: cause('unreachable/lookup', { system, within }),
    secureConnect: cause('wrong_address/tls', { system, within }),
    [ABORTED]: cause('unreachable/time', { system, within }),
    ETIMEDOUT: cause('unreachable/time', { system, within }),
    ECONNREFUSED: cause('unreachable/refused', { system }),
    ENOTFOUND: cause('unreachable/unknown', { system }),
    EAI_AGAIN: cause('unreachable/name', { system }),
    EHOSTUNREACH: cause('unreachable/host', { system }),
    ENETUNREACH: cause('unreachable/network', { system }),
    DEPTH_ZERO_SELF_SIGNED_CERT: cause('certificate/self_signed', { system }),
    SELF_SIGNED_CERT_IN_CHAIN: cause('certificate/private', { system }),
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: cause('certificate/chain', { system }),
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: cause('certificate/unknown', { system }),
    CERT_HAS_EXPIRED: cause('certificate/expired', { system }),
    CERT_NOT_YET_VALID: cause('certificate/early', { system }),
    ERR_TLS_CERT_ALTNAME_INVALID: cause('certificate/name', { system }),
  };
  const known = problems[timeout ?? ''] ?? problems[code];
  if (known !== undefined) return known;
  return code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)
    ? cause('wrong_address/plain', { system, said: code })
    : cause('unreachable/other', { system, said: code });
}

function explainSent(
  { code: said, timeout, bodySent }: NoResponse,
  system: string,
  seconds: string | undefined,
): string {
  if (timeout === 'send') return cause('broken_off/slow', { system });
  if (seconds !== undefined) {
    return cause(bodySent ? 'no_answer/time' : 'broken_off/stuck', { system, seconds });
  }
  if (said === UNREADABLE_BODY) return cause('file_unreadable', {});
  if (said.startsWith('HPE_')) {
    return cause('wrong_address/http', { system, said, advice: checkAddress(system) });
  }
  const never = system.startsWith('http:')
    ? ' If nothing was ever delivered there, check whether base_url must begin with https://.'
    : '';
  return cause(bodySent ? 'no_answer/closed' : 'broken_off/closed', { system, said, never });
}

/** Hints at https: a TLS port closes a plain connection, or answers with a TLS alert. */
export function checkAddress(name: string): string {
  return name.startsWith('http:')
    ? 'Check base_url, and whether it must begin with https://.'
    : 'Check base_url.';
}
