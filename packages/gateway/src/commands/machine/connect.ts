import { type Connection, connectHost, findHosts, type HostFile, type HostTarget, hosts } from '../../config/index.js'
import { misused } from '../exit-codes.js'
import { type Input, isOn, type Run, textOf } from '../spec.js'
import { gatewayUrl } from '../target/place.js'
import type { Paint } from '../terminal/paint.js'
import { unknownHost } from './import.js'
import { machineOf } from './where.js'

export const run: Run = async (input, terminal) => {
  const file = await fileOf(input)
  const name = textOf(input, 'name')
  const dryRun = isOn(input, 'dryRun')
  const done = await connectHost(file, targetFor(file, input), { dryRun, ...(name !== undefined && { name }) })
  const { changed, backup } = done
  if (terminal.json) {
    terminal.printJson({
      host: file.host.id,
      file: file.path,
      changed,
      dryRun,
      diff: done.diff,
      ...(backup !== undefined && { backup }),
    })
    return undefined
  }
  if (changed) terminal.print(coloured(done, terminal.paint))
  terminal.say(outcome(done, dryRun))
  return undefined
}

async function fileOf(input: Input): Promise<HostFile> {
  const [name = ''] = input.operands
  const host = hosts.find(({ id }) => id === name)
  if (!host) throw misused(unknownHost(name))
  const scope = isOn(input, 'project') ? 'project' : 'user'
  const file = (await findHosts(machineOf(input))).find((one) => one.host.id === name && one.scope === scope)
  if (!file) throw misused(`${host.title} has no config of a project; leave --project out`)
  return file
}

/** By its address, unless the host can only start its servers. */
function targetFor({ host }: HostFile, input: Input): HostTarget {
  const set = textOf(input, 'set')
  const url = `${gatewayUrl(input)}/mcp${set === undefined ? '' : `/${encodeURIComponent(set)}`}`
  if (!isOn(input, 'stdio') && host.remote(url, undefined) !== undefined) return { url }
  if (set !== undefined) throw misused(`${host.title} starts the gateway itself, and gets all tools; leave --set out`)
  return { command: 'npx', args: ['-y', '@toolwire/gateway', 'up', '--stdio'] }
}

const coloured = ({ diff }: Connection, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')

function outcome({ file, changed, backup }: Connection, dryRun: boolean): string {
  if (!changed) return `${file.host.title} has the gateway already, in ${file.path}`
  if (dryRun) return `Nothing was written; without --dry-run this goes into ${file.path}`
  const kept = backup === undefined ? '' : `; the old file is ${backup}`
  return `Written to ${file.path}${kept}. Start ${file.host.title} again, and see that the gateway runs`
}
