import { CommandError, exitCodeOfStatus, exitCodes } from './command.js'

type ErrorReport = { readonly message: string; readonly exitCode: number }

// Errors are matched by name, because their classes are in modules that many commands never load.
const codesByName: { readonly [name: string]: number } = {
  ConfigError: exitCodes.usage,
  RulesError: exitCodes.usage,
  InvalidArguments: exitCodes.usage,
  InvalidResult: exitCodes.failed,
  ToolCallError: exitCodes.failed,
  RpcError: exitCodes.failed,
  Refusal: exitCodes.refused,
  OAuthFailure: exitCodes.refused,
  NotRegular: exitCodes.usage,
  TransportError: exitCodes.connection,
  PromptClosed: exitCodes.interrupted,
  DefinitionError: exitCodes.usage,
  CheckUsageError: exitCodes.usage,
}

const codesOfFailure: { readonly [code: string]: number } = {
  not_offered: exitCodes.usage,
  turned_away: exitCodes.refused,
  cancelled: exitCodes.interrupted,
}

export function errorReportOf(thrown: unknown): ErrorReport {
  if (thrown instanceof CommandError) return thrown
  if (!(thrown instanceof Error)) return { message: `The command failed: ${String(thrown)}`, exitCode: exitCodes.failed }
  return { message: messageOf(thrown), exitCode: codeOf(thrown) }
}

const timeout = /^\S+ (?:was silent for|took longer than) (\d+) ms \((?:idle|total)Ms\) and was (?:given up|cancelled)/

/** Errors of the client begin with a method of the protocol, which users of a command have not typed. */
function messageOf({ name, message, cause }: Error): string {
  if (name !== 'CallFailure') return message || name
  const reason = cause instanceof Error && cause.name === 'TransportError' ? message.indexOf(cause.message) : -1
  const plain = reason > 0 ? message.slice(reason) : message
  return plain.replace(timeout, (_, ms) => `The server did not answer within ${Number(ms) / 1_000} s`)
}

function codeOf(thrown: Error): number {
  const code = 'code' in thrown ? thrown.code : undefined
  if (thrown.name === 'CallFailure') return codesOfFailure[String(code)] ?? exitCodes.connection
  // A database that is away, whichever command needs it.
  if (String(code).startsWith('POSTGRES')) return exitCodes.connection
  if (thrown.name === 'HttpRefusal' && 'status' in thrown) return exitCodeOfStatus(Number(thrown.status))
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR') return exitCodes.usage
  return codesByName[thrown.name] ?? exitCodes.failed
}
