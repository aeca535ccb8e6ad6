import { delimiter, dirname, resolve } from 'node:path'
import { ifConfigError } from '../../config/config-error.js'
import { defaultConfigPath, machineOf, workspaceOf } from '../../config/paths.js'
import { type Gateway, type LogEntry, runGateway } from '../../lifecycle/start-gateway.js'
import { type CommandContext, type CommandInput, isOptionOn, optionText, type RunCommand, stopped } from '../command.js'
import { typedCommand } from '../hosts/own-program.js'
import { openConsoleInBrowser } from '../open-browser.js'
import { configPath } from '../target/target.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJsonLine } from '../terminal/visible-text.js'
import { acceptFoundConfig, confirmAtTerminal } from '../trust/accept-found.js'
import { joinRunningGateway } from './join-running-gateway.js'
import { logPrinter } from './log-printer.js'
import { welcomeText } from './welcome.js'

/** Runs until it is stopped or its host disconnects; then running calls may finish. */
export const run: RunCommand = async (input, terminal) => {
  const stdio = isOptionOn(input, 'stdio')
  if (stdio) enterConfigFolder(input)
  const log = logPrinter(process.stderr, terminal)
  let level: () => string = () => optionText(input, 'logLevel') ?? input.env.TOOLWIRE_LOG_LEVEL ?? 'info'
  const onLog = (entry: LogEntry) => log(entry, level())
  const where = locationOf(input)
  await offerTrust(where, { input, terminal, stdio })
  const gateway = await runGateway(where, { env: input.env, onLog, ...(stdio && { stdio }) }).catch((thrown: unknown) => {
    if (!stdio) throw thrown
    return joinRunningGateway(where, { thrown, options: { env: input.env, onLog }, signal: input.signal })
  })
  if (!gateway) return undefined
  level = () => gateway.config.logLevel
  announceStart(gateway, { stdio, onLog, terminal, program: typedCommand(machineOf(input)) })
  if (isOptionOn(input, 'open')) await openConsole(gateway, onLog, input.env)
  await Promise.race([gateway.ended, stopped(input)])
  onLog({ level: 'info', message: 'Stopping. Running calls may finish' })
  await gateway.close()
}

type OfferTrustContext = CommandContext & { readonly stdio: boolean }

/** Offers to accept the discovered parts; the rest of the config runs anyway. An unreadable config is reported later. */
async function offerTrust(where: ReturnType<typeof locationOf>, { input, terminal, stdio }: OfferTrustContext): Promise<void> {
  const { paint, interactive } = terminal
  const accepts = isOptionOn(input, 'trust')
  if (!accepts && (stdio || !interactive)) return
  const agree = accepts ? async () => true : confirmAtTerminal({ paint, signal: input.signal })
  await acceptFoundConfig(where, agree).catch(ifConfigError(() => undefined))
}

/**
 * Hosts start programs in any folder, and with a short PATH. A named config therefore runs in its own folder, as if the gateway was started
 * there. The folder of node is added to PATH, because npx starts many servers and is beside node.
 */
function enterConfigFolder(input: CommandInput): void {
  const { env, cwd, operands } = input
  env.PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter)
  const config = operands[0] ?? optionText(input, 'config')
  if (config !== undefined && resolve(cwd, config) !== defaultConfigPath(machineOf(input)))
    process.chdir(workspaceOf(resolve(cwd, config)))
}

function locationOf(input: CommandInput) {
  const names = ['port', 'host', 'consolePort', 'policy', 'dataDir', 'logLevel'] as const
  const texts = Object.fromEntries(names.map((name) => [name, optionText(input, name)]))
  const flags = { ...texts, console: input.options.console !== false }
  const { env, cwd } = input
  return { path: configPath(input), ...(isOptionOn(input, 'asFound') && { asFound: true }), env, cwd, flags }
}

type StartOutput = {
  readonly stdio: boolean
  readonly onLog: (entry: LogEntry) => void
  readonly terminal: Terminal
  readonly program: string
}

function announceStart(gateway: Gateway, { stdio, onLog, terminal, program }: StartOutput): void {
  const { url, config, control, consoleUrl } = gateway
  const servers = control.servers()
  const { source, version } = config
  const place = source ?? (version === undefined ? null : `version ${version} of the database`)
  const about = { url, console: consoleUrl ?? null, config: place }
  const state = { servers: servers.map(({ id }) => id), troubles: [...control.health().troubles] }
  // Others may read a log, so the login link is printed only on a terminal.
  if (process.stderr.isTTY)
    terminal.say(welcomeText({ ...about, ...state, servers, link: gateway.loginLink(), program }, terminal.paint))
  else onLog({ level: 'info', message: `The gateway listens at ${url}`, ...about, ...state })
  if (terminal.json && !stdio) terminal.print(visibleJsonLine({ ...about, ...state }))
}

async function openConsole(gateway: Gateway, onLog: (entry: LogEntry) => void, env: CommandInput['env']): Promise<void> {
  const link = gateway.loginLink()
  if (link === undefined) return onLog({ level: 'warning', message: 'The console is switched off, so it cannot be opened' })
  if (await openConsoleInBrowser(link, env)) return
  onLog({ level: 'warning', message: 'No browser could be opened. toolwire console prints a link to open yourself' })
}
