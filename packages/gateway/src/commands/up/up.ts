import { type Gateway, type LogEntry, runGateway } from '../../gateway.js'
import { type Input, isOn, type Run, textOf } from '../spec.js'
import { jsonLine } from '../terminal/json-text.js'
import type { Terminal } from '../terminal/terminal.js'
import { logTo } from './log.js'
import { welcome } from './welcome.js'

/** Runs until it is told to stop, or the host that started it has gone; then what is under way may end. */
export const run: Run = async (input, terminal) => {
  const stdio = isOn(input, 'stdio')
  const log = logTo(process.stderr, terminal)
  let level = textOf(input, 'logLevel') ?? input.env.TOOLWIRE_LOG_LEVEL ?? 'info'
  const onLog = (entry: LogEntry) => log(entry, level)
  const gateway = await runGateway(whereIn(input), { env: input.env, onLog, ...(stdio && { stdio }) })
  level = gateway.config.logLevel
  tell(gateway, { stdio, onLog, terminal })
  if (isOn(input, 'open')) await openPage(gateway, onLog)
  await Promise.race([gateway.ended, stopped(input.signal)])
  onLog({ level: 'info', message: 'Stopping: what is under way may end' })
  await gateway.close()
  return undefined
}

const whereIn = (input: Input) => ({
  path: input.operands[0],
  env: input.env,
  cwd: input.cwd,
  flags: {
    port: textOf(input, 'port'),
    host: textOf(input, 'host'),
    policy: textOf(input, 'policy'),
    dataDir: textOf(input, 'dataDir'),
    logLevel: textOf(input, 'logLevel'),
  },
})

type Telling = { readonly stdio: boolean; readonly onLog: (entry: LogEntry) => void; readonly terminal: Terminal }

function tell({ url, config, control }: Gateway, { stdio, onLog, terminal }: Telling): void {
  const about = { url, config: config.source ?? null, servers: control.servers().map(({ id }) => id) }
  if (process.stderr.isTTY) terminal.say(welcome(about, terminal.paint))
  else onLog({ level: 'info', message: `The gateway listens at ${url}`, ...about })
  if (terminal.json && !stdio) terminal.print(jsonLine(about))
}

async function openPage({ url }: Gateway, onLog: (entry: LogEntry) => void): Promise<void> {
  const { openPage: open } = await import('toolwire/client/oauth')
  const page = new URL('/', url)
  try {
    await open(page)
  } catch {
    onLog({ level: 'warning', message: `No browser could be opened; open ${page.href} yourself` })
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}
