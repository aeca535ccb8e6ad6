import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { maskedDiff } from '../../config/editing/masked-diff.js'
import { replaceWithBackup } from '../../config/editing/replace-file.js'
import { connectHost, findHosts, type HostConnection, type HostFile, hosts, loadConfig } from '../../config/index.js'
import { defaultConfigPath } from '../../config/paths.js'
import { untrustedLines } from '../../config/trust/trust-messages.js'
import { trustedEdit } from '../../config/trust/trusted-edit.js'
import { usageProblem } from '../command-error.js'
import { type CommandInput, isOptionOn, optionText, type RunCommand } from '../command-spec.js'
import { PromptClosed, terminalPrompts } from '../forms/prompts.js'
import { colouredDiff } from '../output/coloured-diff.js'
import { checkEditedConfig } from '../servers/edit-config-file.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'
import { serverActions } from './confirm-import.js'
import { configTarget, findWantedGateway, targetFor, type WantedGateway } from './host-target.js'
import { unknownHost } from './import.js'
import { machineOf } from './machine.js'
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
    found ?? (moves ? await configTarget({ path: defaultConfigPath(machine), text: move.text }, input, machine) : undefined)
  if (!wanted) throw usageProblem(nothingToConnect(move))
  const name = optionText(input, 'name')
  const dryRun = isOptionOn(input, 'dryRun')
  const target = targetFor(file.host, wanted, input, machine)
  const configured = moves && wanted.kind === 'config' ? { ...move, path: wanted.config } : undefined
  const remove = configured?.servers.map(({ at }) => at) ?? []
  // A file of the host that cannot be written as it should be leaves the gateway's config as it was.
  await connectHost(file, target, { dryRun: true, remove, ...(name !== undefined && { name }) })
  const configBackup = configured && !dryRun ? await writeConfig(configured, input) : undefined
  const done = await connectHost(file, target, { dryRun, remove, ...(name !== undefined && { name }) })
  const told: Told = { done, dryRun, target, wanted, move, moved: configured, configBackup }
  if (terminal.json) terminal.printJson(report(told))
  else show(told, terminal)
  for (const line of await waitingIn(wanted, input)) terminal.say(terminal.paint.yellow(visibleText(line)))
  const { program } = ownProgram(machine)
  if (isTemporaryInstall(program) && 'command' in target)
    terminal.say(`${program} is in a folder that npx may delete. Run npm i -g @toolwire/gateway, and connect again`)
  return undefined
}

/** The host starts no more of a config that was found than somebody has accepted, now and later. */
async function waitingIn(wanted: WantedGateway, { env, cwd }: CommandInput): Promise<readonly string[]> {
  if (wanted.kind !== 'config' || !wanted.isFound) return []
  const { trust } = await loadConfig({ path: wanted.config, asFound: true, env, cwd, missing: 'keep' })
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

/** Servers can only move into a config that is on this machine. */
async function moveFor(file: HostFile, wanted: WantedGateway | undefined, input: CommandInput): Promise<ServerMove | undefined> {
  if (wanted?.kind === 'address') {
    if (isOptionOn(input, 'move'))
      throw usageProblem('--move needs the config of the gateway. Name it with --config, and omit --gateway, --http and --set')
    return undefined
  }
  return planMove(file, wanted?.config ?? defaultConfigPath(machineOf(input)))
}

type Asking = { readonly file: HostFile; readonly input: CommandInput; readonly terminal: Terminal }

async function mayMove({ servers, left }: ServerMove, { file, input, terminal }: Asking): Promise<boolean> {
  if (isOptionOn(input, 'move')) return true
  if (isOptionOn(input, 'keep') || isOptionOn(input, 'dryRun') || terminal.json || !terminal.interactive) return false
  const lines = servers.flatMap((server) => [`  ${server.id}`, ...serverActions(server, terminal).map((line) => `    ${line}`)])
  for (const { name, why } of left) lines.push(`  ${name} stays: ${why}`)
  process.stderr.write(
    `\n${file.host.title} starts these servers itself, without the gateway:\n${lines.map(visibleText).join('\n')}\n`,
  )
  try {
    return await (await terminalPrompts(input.signal)).yesOrNo('Move them behind the gateway?', true)
  } catch (thrown) {
    if (thrown instanceof PromptClosed) return false
    throw thrown
  }
}

async function writeConfig(
  { path, before, text }: ServerMove & { readonly path: string },
  input: CommandInput,
): Promise<string | undefined> {
  if ((before ?? '') === text) return undefined
  await checkEditedConfig(path, text, input)
  mkdirSync(dirname(path), { recursive: true })
  const remember = await trustedEdit({ path, before, text }, { env: input.env, cwd: input.cwd })
  const backup = await replaceWithBackup(path, before, text)
  await remember()
  return backup
}

function nothingToConnect(move: ServerMove | undefined): string {
  const hint = move && move.servers.length > 0 ? '--move creates one from the servers of this host. ' : ''
  return `There is no config to connect to, and no gateway runs. ${hint}Create one with toolwire add <name> -- <command>, or name one with --config, or a gateway with --gateway`
}

type Told = {
  readonly done: HostConnection
  readonly dryRun: boolean
  readonly target: Parameters<typeof connectHost>[1]
  readonly wanted: WantedGateway
  readonly move: ServerMove | undefined
  readonly moved: (ServerMove & { readonly path: string }) | undefined
  readonly configBackup: string | undefined
}

const report = ({ done, dryRun, wanted, move, moved, configBackup }: Told) => ({
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

function show({ done, dryRun, wanted, move, moved, configBackup }: Told, terminal: Terminal): void {
  const { file, changed, backup } = done
  const { title } = file.host
  if (changed) terminal.print(`${file.path}\n${colouredDiff(done.diff, terminal.paint)}`)
  if (moved && moved.text !== (moved.before ?? ''))
    terminal.print(`${moved.path}\n${colouredDiff(maskedDiff(moved.path, moved.before ?? '', moved.text), terminal.paint)}`)
  if (!changed) terminal.say(`${title} has the gateway already, in ${file.path}`)
  else if (dryRun) terminal.say(`Nothing was written. Without --dry-run, this is written to ${file.path}`)
  else terminal.say(`Written to ${file.path}${kept(backup)}. Restart ${title}`)
  if (moved && !dryRun) terminal.say(`${moved.servers.map(({ id }) => id).join(', ')}: now in ${moved.path}${kept(configBackup)}`)
  if (wanted.kind === 'address') terminal.say(`${title} connects to the gateway at ${wanted.url}. Keep it running`)
  for (const { name, why } of move?.left ?? []) terminal.say(visibleText(`${name} stays with ${title}: ${why}`))
  if (!moved && move && move.servers.length > 0)
    terminal.say(
      `${title} still starts ${move.servers.map(({ id }) => id).join(', ')} itself, without the gateway. --move moves them behind it`,
    )
}

const kept = (backup: string | undefined): string => (backup === undefined ? '' : `; the old file is ${backup}`)
