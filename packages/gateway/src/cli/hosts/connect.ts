import { connectHost, findHosts, type HostConnection, type HostFile, hosts, loadConfig } from '../../config/index.js'
import { defaultConfigPath, machineOf } from '../../config/paths.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { writeTrusted } from '../../config/trust/trusted-edit.js'
import { type CommandContext, type CommandInput, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import { checkEditedConfig, colouredDiff, notWritten, oldFile, trustedLoadOf } from '../servers/edit-config-file.js'
import type { Terminal } from '../terminal/terminal.js'
import { indentedText, visibleText, visibleTextLine } from '../terminal/visible-text.js'
import { serverActions } from './confirm-import.js'
import { configTarget, findWantedGateway, targetFor, type WantedGateway } from './host-target.js'
import { unknownHost } from './import.js'
import { isTemporaryInstall, ownProgram } from './own-program.js'
import { planMove, type ServerMove } from './plan-move.js'

export const run: RunCommand = async (input, terminal) => {
  if (isOptionOn(input, 'move') && isOptionOn(input, 'keep')) throw usageProblem('Choose --move or --keep, not both')
  const machine = machineOf(input)
  const file = await fileOf(input)
  const found = await findWantedGateway(file, input, machine)
  const move = await moveFor(file, found, input)
  const moves = move !== undefined && move.servers.length > 0 && (await mayMove(move, { file, input, terminal }))
  const wanted =
    found ?? (moves ? await configTarget({ path: move.config.path, text: move.config.text }, input, machine) : undefined)
  if (!wanted) throw usageProblem(nothingToConnect(move))
  const dryRun = isOptionOn(input, 'dryRun')
  const target = targetFor(file.host, wanted, input, machine)
  const moved = moves && wanted.kind === 'config' ? move : undefined
  const remove = moved?.servers.map(({ at }) => at) ?? []
  // The dry run comes first, so that a failure in the host's file leaves the gateway's config unchanged.
  const options = { name: optionText(input, 'name'), remove }
  await connectHost(file, target, { ...options, dryRun: true })
  const configBackup = moved && !dryRun ? await writeConfig(moved, input) : undefined
  const outcome: ConnectOutcome = {
    done: await connectHost(file, target, { ...options, dryRun }),
    dryRun,
    wanted,
    move,
    moved,
    configBackup,
  }
  if (terminal.json) terminal.printJson(report(outcome))
  else show(outcome, terminal)
  for (const line of await waitingWarnings(wanted, input)) terminal.say(terminal.paint.yellow(visibleText(line)))
  const { program } = ownProgram(machine)
  if (isTemporaryInstall(program) && 'command' in target)
    terminal.say(`${program} is in a folder that npx may delete. Run npm i -g @toolwire/gateway, and connect again`)
}

/** Warnings about parts of a discovered config that the host will not start until they are accepted. */
async function waitingWarnings(wanted: WantedGateway, input: CommandInput): Promise<readonly string[]> {
  if (wanted.kind !== 'config' || !wanted.isFound) return []
  const { trust } = await loadConfig({ ...trustedLoadOf(input), path: wanted.config, asFound: true, missing: 'keep' })
  return untrustedLines(trust?.waiting ?? [])
}

async function fileOf(input: CommandInput): Promise<HostFile> {
  const [name = ''] = input.operands
  const host = hosts.find(({ id }) => id === name)
  if (!host) throw usageProblem(unknownHost(name))
  const scope = isOptionOn(input, 'project') ? 'project' : 'user'
  const file = (await findHosts(machineOf(input))).find((one) => one.host.id === name && one.scope === scope)
  if (!file) throw usageProblem(`${host.title} has no project config. Omit --project`)
  return file
}

/** The servers to move; they can only move into a config on this machine. */
async function moveFor(file: HostFile, wanted: WantedGateway | undefined, input: CommandInput): Promise<ServerMove | undefined> {
  if (wanted?.kind === 'address') {
    if (isOptionOn(input, 'move'))
      throw usageProblem('--move needs the config of the gateway. Name it with --config, and omit --gateway, --http and --set')
    return undefined
  }
  return planMove(file, wanted?.config ?? defaultConfigPath(machineOf(input)))
}

type MoveContext = CommandContext & { readonly file: HostFile }

async function mayMove({ servers, left }: ServerMove, { file, input, terminal }: MoveContext): Promise<boolean> {
  if (isOptionOn(input, 'move')) return true
  if (isOptionOn(input, 'keep') || isOptionOn(input, 'dryRun') || terminal.json || !terminal.interactive) return false
  const lines = servers.flatMap((server) => [
    `  ${visibleTextLine(server.id)}`,
    ...serverActions(server, terminal).map((line) => `    ${line}`),
  ])
  for (const { name, why } of left) lines.push(`  ${visibleTextLine(name)} stays: ${indentedText(why)}`)
  const head = `${file.host.title} starts these servers itself, without the gateway:`
  process.stderr.write(`\n${head}\n${lines.join('\n')}\n`)
  return isConfirmed('Move them behind the gateway?', input.signal, true)
}

async function writeConfig({ config }: ServerMove, input: CommandInput): Promise<string | undefined> {
  if (!config.isChanged) return undefined
  await checkEditedConfig(config, input)
  return writeTrusted(config, trustedLoadOf(input))
}

function nothingToConnect(move: ServerMove | undefined): string {
  const hint = move && move.servers.length > 0 ? '--move creates one from the servers of this host. ' : ''
  return `There is no config to connect to, and no gateway runs. ${hint}Create one with toolwire add <name> -- <command>, or name one with --config, or a gateway with --gateway`
}

type ConnectOutcome = {
  readonly done: HostConnection
  readonly dryRun: boolean
  readonly wanted: WantedGateway
  readonly move: ServerMove | undefined
  readonly moved: ServerMove | undefined
  readonly configBackup: string | undefined
}

const report = ({ done, dryRun, wanted, move, moved, configBackup }: ConnectOutcome) => ({
  host: done.file.host.id,
  file: done.file.path,
  changed: done.changed,
  dryRun,
  diff: done.diff,
  ...(done.backup !== undefined && { backup: done.backup }),
  ...(wanted.kind === 'config' ? { config: wanted.config } : { gateway: wanted.url }),
  moved: moved?.servers.map(({ id }) => id) ?? [],
  kept: [...(moved ? [] : (move?.servers ?? []).map(({ id }) => id)), ...(move?.left ?? []).map(({ name }) => name)],
  ...(configBackup !== undefined && { configBackup }),
})

function show({ done, dryRun, wanted, move, moved, configBackup }: ConnectOutcome, terminal: Terminal): void {
  const { file, changed, backup } = done
  const { title } = file.host
  const names = move?.servers.map(({ id }) => id).join(', ') ?? ''
  if (changed) terminal.print(`${file.path}\n${colouredDiff(done.diff, terminal.paint)}`)
  if (moved?.config.isChanged) terminal.print(`${moved.config.path}\n${colouredDiff(moved.config.diff, terminal.paint)}`)
  if (!changed) terminal.say(`${title} has the gateway already, in ${file.path}`)
  else if (dryRun) terminal.say(notWritten(file.path))
  else terminal.say(`Written to ${file.path}${oldFile(backup)}. Restart ${title}`)
  if (moved && !dryRun) terminal.say(`${names}: now in ${moved.config.path}${oldFile(configBackup)}`)
  if (wanted.kind === 'address') terminal.say(`${title} connects to the gateway at ${wanted.url}. Keep it running`)
  for (const { name, why } of move?.left ?? []) terminal.say(`${visibleTextLine(name)} stays with ${title}: ${indentedText(why)}`)
  if (!moved && names !== '')
    terminal.say(`${title} still starts ${names} itself, without the gateway. --move moves them behind it`)
}
