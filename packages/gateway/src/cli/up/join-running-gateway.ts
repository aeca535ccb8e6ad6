import { Duplex, PassThrough } from 'node:stream'
import { ConfigError, configPlaces } from '../../config/index.js'
import { type GatewayOptions, runGateway } from '../../lifecycle/start-gateway.js'
import { HostSession } from '../../stdio/host-session.js'
import { joinGateway } from '../../stdio/join-gateway.js'
import { stopped } from '../command.js'

type ConfigLocation = Parameters<typeof runGateway>[0]
type JoinContext = {
  /** The reason that this process could not become the gateway. */
  readonly thrown: unknown
  readonly options: GatewayOptions
  readonly signal: AbortSignal
}

const retryMs = 250
/** Time for a starting gateway to open its local socket, or for an ending one to finish writing and release the data directory. */
const patienceMs = 30_000

/** Serves the host through the running gateway, and becomes the gateway when that one ends, until the host disconnects. */
export async function joinRunningGateway(where: ConfigLocation, { thrown, options, signal }: JoinContext): Promise<undefined> {
  // The running gateway may have environment variables that hosts do not pass to their programs.
  const isUnusable = thrown instanceof ConfigError
  if (!isDirectoryInUse(thrown) && !isUnusable) throw thrown
  const host = new HostSession({ readable: process.stdin, writable: process.stdout })
  const disconnected = Promise.race([host.ended, stopped({ signal })]).then(() => true)
  const serving = { host, disconnected, options, reported: new Set<string>() }
  const wasJoined = await joinGatewayIfRunning(where, { ...serving, waitMs: isUnusable ? 0 : 10_000 })
  if (!wasJoined && isUnusable) throw thrown
  for (let until = performance.now() + patienceMs; !(await isResolvedTrue(disconnected)); ) {
    const failed = await becomeGateway(where, serving).catch((why: unknown) => why)
    if (failed === undefined) return undefined
    if (!isDirectoryInUse(failed) || performance.now() > until) throw failed
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    if (await joinGatewayIfRunning(where, { ...serving, waitMs: 0 })) until = performance.now() + patienceMs
  }
  return undefined
}

type Serving = {
  readonly host: HostSession
  readonly disconnected: Promise<boolean>
  readonly options: GatewayOptions
  /** Messages of earlier attempts to become the gateway. */
  readonly reported: Set<string>
}

/** Returns false if there is no gateway to join. */
async function joinGatewayIfRunning(
  where: ConfigLocation,
  { host, disconnected, options, waitMs }: Serving & { waitMs: number },
): Promise<boolean> {
  const { dataDir, source } = await configPlaces(where)
  const found = await joinGateway({ dataDir, source, waitMs })
  if (!found) return false
  const { pid, socket } = found
  options.onLog?.({ level: 'info', message: `The gateway of process ${pid} uses the data directory, and serves this host too` })
  void disconnected.then(() => socket.end())
  await host.serveThrough(socket)
  return true
}

async function becomeGateway(where: ConfigLocation, { host, disconnected, options, reported }: Serving): Promise<void> {
  const [heard, said] = [new PassThrough(), new PassThrough()]
  let isStarting = true
  const onLog: GatewayOptions['onLog'] = (entry) => {
    if (!isStarting || !reported.has(entry.message)) options.onLog?.(entry)
    if (isStarting) reported.add(entry.message)
  }
  const gateway = await runGateway(where, { ...options, onLog, stdio: { readable: heard, writable: said } })
  isStarting = false
  options.onLog?.({ level: 'info', message: `The gateway listens at ${gateway.url}, because the previous one has ended` })
  void disconnected.then(() => heard.end())
  void gateway.ended.then(() => said.end())
  await host.serveThrough(Duplex.from({ writable: heard, readable: said }))
  await gateway.close()
}

const isResolvedTrue = (promise: Promise<boolean>): Promise<boolean> => Promise.race([promise, Promise.resolve(false)])

const isDirectoryInUse = (thrown: unknown): boolean =>
  thrown instanceof Error && /^The data directory .* is in use by /.test(thrown.message)
