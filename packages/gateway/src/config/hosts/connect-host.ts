import type { JsonObject } from 'toolwire'
import { problem } from '../config-error.js'
import { pointerSegments } from '../documents/document.js'
import { ConfigText } from '../editing/config-text.js'
import { replaceWithBackup } from '../editing/replace-file.js'
import type { Host, HostFile, HostTarget } from './host.js'

export type ConnectHostOptions = {
  /** Computes the change without writing it. */
  readonly dryRun?: boolean
  /** The name of the gateway in the host's config. */
  readonly name?: string | undefined
  readonly remove?: readonly string[]
}

export type HostConnection = Awaited<ReturnType<typeof connectHost>>

/** Writes the gateway into the config of a host. All else in the file stays as it is, and the old file is kept beside it. */
export async function connectHost(file: HostFile, gateway: HostTarget, options: ConnectHostOptions = {}) {
  const { name = 'toolwire', dryRun = false, remove = [] } = options
  const config = await ConfigText.open(file.path)
  for (const at of remove) config.remove(pointerSegments(at))
  config.set([file.host.key, name], entryFor(file.host, gateway))
  const { text, diff, isChanged: changed } = config
  const backup = changed && !dryRun ? await replaceWithBackup(file.path, config.before, text) : undefined
  return { file, text, diff, changed, backup }
}

function entryFor(host: Host, gateway: HostTarget): JsonObject {
  if ('command' in gateway) return host.child({ command: gateway.command, args: [...gateway.args] })
  const entry = host.remote(gateway.url)
  if (entry) return entry
  throw problem('', `${host.title} can only start servers as commands; connect it with a command, not an address`)
}
