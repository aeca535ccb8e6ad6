import { type Trouble, unreachable } from '../exit-codes.js'

export const noGateway = (url: string, cause: unknown): Trouble =>
  unreachable(`No gateway answers at ${url}; start one with toolwire up, or name another by --gateway`, cause)
