import { type CommandError, unreachableError } from '../command-error.js'

export const noGateway = (url: string, cause: unknown): CommandError =>
  unreachableError(`No gateway answers at ${url}; start one with toolwire up, or name another by --gateway`, cause)
