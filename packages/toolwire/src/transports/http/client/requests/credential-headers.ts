import { type Credentials, type CredentialsRequest, TransportError } from '../../../../peer/client-transport.js'
import { checkHeader } from '../custom-headers.js'

type CredentialHeaders = Readonly<Record<string, string>>

type CredentialsContext = {
  readonly credentials: Credentials
  readonly request: CredentialsRequest
  readonly use: (proof: CredentialHeaders) => void
  readonly fail: (why: TransportError) => void
  /** Told when it takes a while, and when it is over. */
  readonly waits: (isWaiting: boolean) => void
}

/** Gets what shows who is asking: at once where it is there at once. */
export function withCredentials({ credentials, request, use, fail, waits }: CredentialsContext): void {
  const refuse = (thrown: unknown) => fail(credentialsError(thrown))
  try {
    const proof = credentials.headers(request)
    if (proof instanceof Promise) {
      waits(true)
      proof
        .finally(() => waits(false))
        .then(checked)
        .then(use, refuse)
    } else use(checked(proof))
  } catch (thrown) {
    refuse(thrown)
  }
}

/** Checked here, because the HTTP client would quote the value in its error. */
function checked(proof: CredentialHeaders): CredentialHeaders {
  for (const [name, value] of Object.entries(proof)) checkHeader(name, value)
  return proof
}

export function credentialsError(thrown: unknown, status?: number): TransportError {
  if (thrown instanceof TransportError) return thrown
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new TransportError('unauthorized', `No credentials: ${reason}`, {
    sent: false,
    cause: thrown,
    ...(status && { status }),
  })
}
