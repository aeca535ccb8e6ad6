import { type CommandError, unreachableError } from '../command-error.js'

export const noGateway = (url: string, cause: unknown): CommandError =>
  unreachableError(`No gateway answers at ${url}. Start one with toolwire up, or name another with --gateway`, cause)
