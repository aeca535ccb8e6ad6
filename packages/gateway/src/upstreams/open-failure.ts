import { CallFailure } from 'toolwire/client'
import type { Target } from '../config/gateway-config.js'
import { withoutPrintedSecrets } from './printed-secrets.js'

/** Why an upstream could not be had, with what to do about it where the config may lack something. */
export function openFailureOf(thrown: unknown, target: Target): string {
  const why = withoutPrintedSecrets(thrown instanceof Error ? thrown.message : String(thrown))
  if (!(thrown instanceof CallFailure) || thrown.status !== 401 || saysSomething(target)) return why
  return `${why}; if people log in there, write "auth": "oauth" for it under toolwire.servers`
}

const saysSomething = (target: Target): boolean =>
  target.kind === 'child' || target.auth !== undefined || Object.keys(target.headers).length > 0
