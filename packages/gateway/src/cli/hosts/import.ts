import { join, resolve } from 'node:path'
import { ConfigText } from '../../config/editing/config-text.js'
import { findHosts, type HostFile, hostIds, type ImportResult, importServers } from '../../config/index.js'
import { machineOf } from '../../config/paths.js'
import { writeTrusted } from '../../config/trust/trusted-edit.js'
import { type CommandInput, exitCodes, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { checkEditedConfig, notWritten, oldFile, trustedLoadOf } from '../servers/edit-config-file.js'
import { nearestNames } from '../target/nearest-names.js'
import type { Terminal } from '../terminal/terminal.js'
import { indentedText, visibleTextLine } from '../terminal/visible-text.js'
import { confirmImport, serverActions } from './confirm-import.js'
import { mergeServers } from './merge-servers.js'

export const run: RunCommand = async (input, terminal) => {
  const target = resolve(input.cwd, optionText(input, 'config') ?? 'mcp.json')
  const files = (await wanted(input)).filter(({ path }) => path !== target)
  const found = await importServers(files, input.cwd)
  const config = await ConfigText.open(target)
  const { added, kept } = mergeServers(config, found)
  const dryRun = isOptionOn(input, 'dryRun')
  const writes = added.length > 0 && !dryRun
  if (writes) await checkEditedConfig(config, input)
  if (writes && !(await confirmImport(added, { input, terminal }))) return exitCodes.refused
  const backup = writes ? await writeTrusted(config, trustedLoadOf(input)) : undefined
  const done = { target, dryRun, added, kept, backup, found }
  if (terminal.json) terminal.printJson(report(done))
  else show(done, terminal)
  return found.problems.length > 0 && added.length === 0 ? exitCodes.failed : exitCodes.ok
}

type Done = ReturnType<typeof mergeServers> & {
  readonly target: string
  readonly dryRun: boolean
  readonly backup: string | undefined
  readonly found: ImportResult
}

async function wanted(input: CommandInput): Promise<HostFile[]> {
  const unknown = input.operands.find((name) => !hostIds.some((id) => id === name))
  if (unknown !== undefined) throw usageProblem(unknownHost(unknown))
  const files = await findHosts(machineOf(input))
  return input.operands.length === 0 ? files : files.filter(({ host }) => input.operands.includes(host.id))
}

export function unknownHost(name: string): string {
  const like = nearestNames(name, hostIds)
  return `The host "${name}" is not known; ${like.length > 0 ? `did you mean ${like.join(' or ')}?` : `known hosts: ${hostIds.join(', ')}`}`
}

const report = ({ target, dryRun, added, kept, backup, found }: Done) => ({
  file: target,
  dryRun,
  added: added.map(({ id, from }) => ({ id, host: from.host.id, from: from.path })),
  kept,
  conflicts: found.conflicts.map(({ id, taken, left }) => ({ id, taken: taken.path, left: left.path })),
  problems: found.problems.map(({ message }) => message),
  ...(backup !== undefined && { backup }),
})

function show({ target, dryRun, added, kept, backup, found }: Done, terminal: Terminal): void {
  for (const server of added) {
    const { id, from } = server
    terminal.print(`${terminal.paint.green('+')} ${visibleTextLine(id)}  from ${from.host.title} (${from.path})`)
    for (const line of serverActions(server, terminal)) terminal.print(`    ${line}`)
  }
  for (const id of kept) terminal.print(`  ${visibleTextLine(id)}  exists already, and stays`)
  for (const { id, taken, left } of found.conflicts)
    terminal.say(`${visibleTextLine(id)} is another server in ${left.path}; the one from ${taken.path} was copied`)
  for (const { message } of found.problems) terminal.say(terminal.paint.yellow(indentedText(message)))
  if (added.length === 0) terminal.say('No new servers were found')
  else if (dryRun) terminal.say(notWritten(target))
  else terminal.say(`Written to ${target}${oldFile(backup)}. Start the gateway: toolwire up ${textName(target)}`)
}

const textName = (target: string): string => (target === join(process.cwd(), 'mcp.json') ? '' : target)
