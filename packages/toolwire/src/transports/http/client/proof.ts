import { type Challenge, type Credentials, type CredentialsRequest, LinkError } from '../../../peer/link.js'
import { headerOf, type ReceivedHeaders } from './carrier.js'
import { checkHeader } from './own-headers.js'

type Proof = Readonly<Record<string, string>>

type Asking = {
  readonly credentials: Credentials
  readonly request: CredentialsRequest
  readonly use: (proof: Proof) => void
  readonly fail: (why: LinkError) => void
  /** Told when it takes a while, and when it is over. */
  readonly waits: (isWaiting: boolean) => void
}

/** Gets what shows who is asking: at once where it is there at once. */
export function prove({ credentials, request, use, fail, waits }: Asking): void {
  const refuse = (thrown: unknown) => fail(unproven(thrown))
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

/** Whoever makes the request would put the value into the error. */
function checked(proof: Proof): Proof {
  for (const [name, value] of Object.entries(proof)) checkHeader(name, value)
  return proof
}

type Refused = Pick<Challenge, 'url' | 'httpMethod' | 'status' | 'method'> & { readonly headers: ReceivedHeaders }

/** Asks the credentials about a refusal; the answer is why to give up, or undefined for another try. */
export async function appeal(credentials: Credentials, refused: Refused, why: LinkError): Promise<LinkError | undefined> {
  const { headers, ...request } = refused
  const header = (name: string) => headerOf(headers, name)
  try {
    return (await credentials.refused({ ...request, header, wwwAuthenticate: header('www-authenticate') })) ? undefined : why
  } catch (thrown) {
    return unproven(thrown, refused.status)
  }
}

function unproven(thrown: unknown, status?: number): LinkError {
  if (thrown instanceof LinkError) return thrown
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new LinkError('unauthorized', `No credentials: ${reason}`, { sent: false, cause: thrown, ...(status && { status }) })
}
