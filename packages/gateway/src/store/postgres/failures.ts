import { StoreFailure } from '../store-failure.js'

/** Advice for a host that is silent or out of reach. */
export const networkAdvice =
  'Check that it runs, the host and the port in its address, and the network and the firewall between it and here'
const certificateAdvice = 'Name the certificate of its authority with sslrootcert in the address, or in NODE_EXTRA_CA_CERTS'

const knownFailures: readonly (readonly [code: string, advice: string])[] = [
  ['ECONNREFUSED', 'Nothing listens at the address of PostgreSQL. Start it, or correct the address'],
  ['ENOTFOUND', 'The host of PostgreSQL is not known. Correct the name in the address'],
  ['EAI_AGAIN', 'The host of PostgreSQL cannot be looked up. Correct the name in the address, or look at the DNS'],
  ['E', `PostgreSQL cannot be reached. ${networkAdvice}`],
  ['08', `The connection to PostgreSQL broke. ${networkAdvice}`],
  ['25006', 'PostgreSQL takes no changes: it is a standby or read-only. Name the primary in the address'],
  ['25P03', 'PostgreSQL ended a transaction in which this gateway was silent for too long'],
  ['28', 'PostgreSQL does not accept the user or the password of the address. Correct them'],
  ['3D000', 'The database of the address does not exist. Create it (CREATE DATABASE), or correct the name'],
  [
    '42501',
    'The user of the address lacks a right in the database. Let this user create the schema toolwire, or grant access to that schema',
  ],
  ['53300', 'PostgreSQL has no connection left. Raise max_connections, or put PgBouncer in front of it'],
  ['53', 'PostgreSQL is out of resources. Make room on its disk or in its memory'],
  ['57P', 'PostgreSQL is starting or shutting down. Try again when it runs'],
]

const certificate =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA)/

/** Converts an error to a message for the operator. The code is PostgreSQL's SQLSTATE, or Node's. */
export function postgresFailure(thrown: unknown): StoreFailure {
  if (thrown instanceof StoreFailure) return thrown
  const message = wordsIn(thrown)
  const code = codeIn(thrown)
  if (code === undefined) return new StoreFailure(messageWithoutCode(message), 'POSTGRES')
  const advice = certificate.test(code)
    ? `The certificate of PostgreSQL is not trusted. ${certificateAdvice}`
    : knownFailures.find(([prefix]) => code.startsWith(prefix))?.[1]
  return new StoreFailure(advice ? `${advice} (${message})` : `PostgreSQL: ${message}`, `POSTGRES_${code}`)
}

/** Messages for errors of the client that have no code. */
function messageWithoutCode(message: string): string {
  if (/timeout|terminated|closed/i.test(message)) return `PostgreSQL does not answer. ${networkAdvice} (${message})`
  if (/does not support SSL/i.test(message))
    return `The address asks for TLS, but PostgreSQL does not offer it. Turn TLS on in PostgreSQL (ssl = on), or remove sslmode from the address (${message})`
  return `PostgreSQL: ${message}`
}

/** The failure as a running gateway reports it, which serves its callers meanwhile. */
export function whileServing(thrown: unknown): StoreFailure {
  const { message, code } = postgresFailure(thrown)
  return new StoreFailure(`${message}. Calls that need the database are refused until it answers`, code)
}

const codeOf = (thrown: unknown): string => (thrown instanceof StoreFailure && thrown.code) || ''

/** True if PostgreSQL cannot be reached or takes no changes, so that the store's `trouble` says so. */
export const isUnavailable = (thrown: unknown): boolean => /^POSTGRES_(E[A-Z_]+$|08|25006|57P)/.test(codeOf(thrown))

/** True if the connection can no longer run any statement. */
export const isConnectionLost = (thrown: unknown): thrown is StoreFailure =>
  isUnavailable(thrown) || /^POSTGRES($|_25P03|_53)/.test(codeOf(thrown))

/** True if the statement took too long and was cancelled, and the connection still works. */
export const isCancelled = (thrown: unknown): boolean => codeOf(thrown) === 'POSTGRES_SILENT'

/** True if another transaction has locked the row. */
export const isLocked = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.code === 'POSTGRES_55P03'

/** True if the statement gave way to another transaction, because each of them waited for the other. */
export const isDeadlock = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.code === 'POSTGRES_40P01'

/** True if another transaction has inserted the row first. */
export const isDuplicate = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.code === 'POSTGRES_23505'

function wordsIn(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(wordsIn).join('; ')
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A host with several addresses fails with an error for each. */
function codeIn(thrown: unknown): string | undefined {
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code
  return thrown instanceof AggregateError ? codeIn(thrown.errors[0]) : undefined
}
