import { TransportError, type TransportErrorCode } from '../../../../peer/client-transport.js'

/** No server was reached, or its identity could not be verified. */
const noConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/
/** The response is not HTTP. https://github.com/nodejs/llhttp names these errors. */
const notHttp = /^HPE_/

/** Classifies a network error. The request counts as sent unless no connection was made. */
export function networkErrorOf(error: Error, { name, written }: { name: string; written: boolean }): TransportError {
  const code = codeOf(error)
  const failure = (why: TransportErrorCode, message: string) =>
    new TransportError(why, message, { sent: why !== 'unreachable', cause: error })
  if (!written || noConnection.test(code)) return failure('unreachable', `No connection to ${name}: ${reasonOf(error)}`)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return failure('too-large', `The headers from ${name} exceed 16 KiB.`)
  if (notHttp.test(code)) return failure('garbage', `The response of ${name} is not HTTP`)
  return failure('broken', `The connection to ${name} broke: ${reasonOf(error)}`)
}

/** `fetch` wraps the underlying error, and a name with several addresses has an error for each. */
function innermost(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0]
  return error.cause instanceof Error ? innermost(error.cause) : error
}

function codeOf(error: Error): string {
  const inner = innermost(error)
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : ''
}

const reasonOf = (error: Error): string => innermost(error).message || codeOf(error) || error.name
