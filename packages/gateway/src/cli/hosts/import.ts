import { join, resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import { readContent, replaceWithBackup } from '../../config/editing/replace-file.js'
import { findHosts, type HostFile, hostIds, type ImportResult, importServers } from '../../config/index.js'
import { trustedEdit } from '../../config/trust/trusted-edit.js'
import { exitCodes, usageProblem } from '../command-error.js'
import { type CommandInput, isOptionOn, optionText, type RunCommand } from '../command-spec.js'
import { nearestNames } from '../target/nearest-names.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'
import { confirmImport, serverActions } from './confirm-import.js'
import { machineOf } from './machine.js'
import { mergeServers } from './merge-servers.js'

export const run: RunCommand = async (input, terminal) => {
  const target = resolve(input.cwd, optionText(input, 'config') ?? 'mcp.json')
  const files = (await wanted(input)).filter(({ path }) => path !== target)
  const found = await importServers(files, input.cwd)
  const before = await readContent(target)
  const { text, added, kept } = mergeServers(before, found, target)
  const changed = added.length > 0
  const copied = found.servers.filter(({ id }) => added.includes(id))
  const writes = changed && !isOptionOn(input, 'dryRun')
  if (writes && !(await confirmImport(copied, input, terminal))) return exitCodes.refused
  const remember = writes ? await trustedEdit({ path: target, before, text }, { env: input.env, cwd: input.cwd }) : undefined
  const backup = writes ? await replaceWithBackup(target, before, text) : undefined
  await remember?.()
  if (terminal.json) terminal.printJson(report({ target, added, kept, backup, found }, isOptionOn(input, 'dryRun')))
  else show({ target, added, kept, backup, found }, isOptionOn(input, 'dryRun'), terminal)
  return found.problems.length > 0 && !changed ? exitCodes.failed : exitCodes.ok
}

type Done = {
  readonly target: string
  readonly added: readonly string[]
  readonly kept: readonly string[]
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

const report = ({ target, added, kept, backup, found }: Done, dryRun: boolean): JsonObject => ({
  file: target,
  dryRun,
  added: found.servers
    .filter(({ id }) => added.includes(id))
    .map(({ id, from }) => ({ id, host: from.host.id, from: from.path })),
  kept: [...kept],
  conflicts: found.conflicts.map(({ id, taken, left }) => ({ id, taken: taken.path, left: left.path })),
  problems: found.problems.map(({ message }) => message),
  ...(backup !== undefined && { backup }),
})

function show({ target, added, kept, backup, found }: Done, dryRun: boolean, terminal: Terminal): void {
  for (const server of found.servers) {
    const { id, from } = server
    if (!added.includes(id)) continue
    terminal.print(`${terminal.paint.green('+')} ${id}  from ${from.host.title} (${from.path})`)
    for (const line of serverActions(server, terminal)) terminal.print(`    ${line}`)
  }
  for (const id of kept) terminal.print(`  ${id}  exists already, and stays`)
  for (const { id, taken, left } of found.conflicts)
    terminal.say(`${id} is another server in ${left.path}; the one from ${taken.path} was copied`)
  for (const { message } of found.problems) terminal.say(terminal.paint.yellow(visibleText(message)))
  terminal.say(outcome({ target, added, backup }, dryRun))
}

function outcome({ target, added, backup }: Pick<Done, 'target' | 'added' | 'backup'>, dryRun: boolean): string {
  if (added.length === 0) return 'No new servers were found'
  if (dryRun) return `Nothing was written. Without --dry-run, this is written to ${target}`
  const kept = backup === undefined ? '' : `; the old file is ${backup}`
  return `Written to ${target}${kept}. Start the gateway: toolwire up ${textName(target)}`
}

const textName = (target: string): string => (target === join(process.cwd(), 'mcp.json') ? '' : target)
