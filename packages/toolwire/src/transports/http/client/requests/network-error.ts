import { TransportError, type TransportErrorCode } from '../../../../peer/client-transport.js'

/** Nobody was there, or it was not the one we want to speak to. */
const noConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/
/** The answer is not HTTP. https://github.com/nodejs/llhttp names these errors. */
const notHttp = /^HPE_/

/** What a failed request means. It has been sent if its first byte has. */
export function networkErrorOf(error: Error, { name, written }: { name: string; written: boolean }): TransportError {
  const code = codeOf(error)
  const failure = (why: TransportErrorCode, message: string) =>
    new TransportError(why, message, { sent: why !== 'unreachable', cause: error })
  if (!written || noConnection.test(code)) return failure('unreachable', `No connection to ${name}: ${reasonOf(error)}`)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return failure('too-large', `The headers from ${name} are longer than we take`)
  if (notHttp.test(code)) return failure('garbage', `What ${name} sent is not HTTP`)
  return failure('broken', `The connection to ${name} broke: ${reasonOf(error)}`)
}

/** `fetch` wraps the error that tells, and a name with several addresses has one for each. */
function innermost(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0]
  return error.cause instanceof Error ? innermost(error.cause) : error
}

function codeOf(error: Error): string {
  const inner = innermost(error)
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : ''
}

const reasonOf = (error: Error): string => innermost(error).message || codeOf(error) || error.name
