import { CommandError, exitCodes } from './command.js'

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
}

const codesOfFailure: { readonly [code: string]: number } = {
  not_offered: exitCodes.usage,
  turned_away: exitCodes.refused,
  cancelled: exitCodes.interrupted,
}

export function errorReportOf(thrown: unknown): ErrorReport {
  if (thrown instanceof CommandError) return thrown
  if (!(thrown instanceof Error)) return { message: `The command failed: ${String(thrown)}`, exitCode: exitCodes.failed }
  return { message: thrown.message || thrown.name, exitCode: codeOf(thrown) }
}

function codeOf(thrown: Error): number {
  const code = 'code' in thrown ? thrown.code : undefined
  if (thrown.name === 'CallFailure') return codesOfFailure[String(code)] ?? exitCodes.connection
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR') return exitCodes.usage
  return codesByName[thrown.name] ?? exitCodes.failed
}
