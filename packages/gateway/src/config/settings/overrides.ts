import { outsideProblem } from '../config-error.js'
import { type LogLevel, logLevels } from '../gateway-config.js'
import { checkReplicaAddress } from '../own-address.js'
import type { Environment } from '../variables.js'

export type ConfigFlags = {
  readonly config?: string | undefined
  readonly port?: string | number | undefined
  readonly host?: string | undefined
  readonly consolePort?: string | number | undefined
  /** False turns the console off. */
  readonly console?: boolean | undefined
  readonly dataDir?: string | undefined
  readonly logLevel?: string | undefined
  readonly policy?: string | undefined
}

/** Settings from outside the file, which take precedence over it. */
export type SettingOverrides = ReturnType<typeof settingOverrides>

/** The command line takes precedence over the environment. Every variable is checked now, also one that is used later. */
export function settingOverrides(flags: ConfigFlags, env: Environment) {
  shutdownDelayFrom(env)
  checkReplicaAddress(env)
  return {
    port: portFrom(flags.port, '--port') ?? portFrom(env.TOOLWIRE_PORT, 'TOOLWIRE_PORT'),
    host: flags.host || undefined,
    consolePort: portFrom(flags.consolePort, '--console-port') ?? portFrom(env.TOOLWIRE_CONSOLE_PORT, 'TOOLWIRE_CONSOLE_PORT'),
    isConsoleOff: flags.console === false,
    dataDir: (flags.dataDir ?? env.TOOLWIRE_DATA_DIR) || undefined,
    logLevel: levelFrom(flags.logLevel, '--log-level') ?? levelFrom(env.TOOLWIRE_LOG_LEVEL, 'TOOLWIRE_LOG_LEVEL'),
    policy: flags.policy || undefined,
    store: env.TOOLWIRE_STORE || undefined,
  }
}

/** Milliseconds between the announcement of the end and the refusal of new calls; undefined if the variable is not set. */
export function shutdownDelayFrom({ TOOLWIRE_SHUTDOWN_DELAY_MS: given }: Environment): number | undefined {
  if (given === undefined || given === '') return undefined
  if (!/^\d{1,6}$/.test(given))
    throw outsideProblem('TOOLWIRE_SHUTDOWN_DELAY_MS must be a number of milliseconds from 0 to 999999')
  return Number(given)
}

export function portFrom(given: string | number | undefined, name: string): number | undefined {
  if (given === undefined || given === '') return undefined
  const port = /^\d{1,5}$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(port <= 65_535)) throw outsideProblem(`${name} must be a number from 0 to 65535; 0 picks a free port`)
  return port
}

function levelFrom(given: string | undefined, name: string): LogLevel | undefined {
  if (given === undefined || given === '') return undefined
  const level = logLevels.find((one) => one === given.toLowerCase() || (one === 'warning' && given.toLowerCase() === 'warn'))
  if (level === undefined) throw outsideProblem(`${name} must be one of ${logLevels.join(', ')}`)
  return level
}
