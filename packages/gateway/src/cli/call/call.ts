import { resolve } from 'node:path'
import type { JsonObject } from 'toolwire'
import type { Client, RemoteTool } from 'toolwire/client'
import { patientMeta } from '../../guard/patient-meta.js'
import { readArguments } from '../arguments/read-arguments.js'
import {
  type CommandContext,
  CommandError,
  type CommandInput,
  exitCodes,
  isOptionOn,
  optionText,
  type RunCommand,
  usageProblem,
} from '../command.js'
import { askMissingArguments, missingArguments } from '../forms/ask-missing.js'
import { ifClosed, isConfirmed, terminalPrompts } from '../forms/prompts.js'
import { terminalElicitation } from '../forms/terminal-elicitation.js'
import { objectIn } from '../json-members.js'
import { connectTarget, findTool } from '../target/connect-target.js'
import { type CommandTarget, commandTargetOf, isAddress, targetName } from '../target/target.js'
import { visibleJson, visibleText } from '../terminal/visible-text.js'
import { progressBar } from './progress-bar.js'
import { prepareFolder } from './save-file.js'
import { showResult } from './show-result.js'

export const run: RunCommand = async (input, terminal) => {
  const [name = '', ...words] = input.operands
  const addresses = words.filter(isAddress)
  if (addresses.length > 1) throw usageProblem('Several addresses are given. Name one')
  const place = commandTargetOf(addresses[0], input)
  const bar = progressBar(terminal)
  await using client = await connectTarget(place, { input, terminal, answers: terminalElicitation(terminal, bar.clear) })
  const tool = await findTool(client, name)
  const typed = words.filter((word) => !isAddress(word))
  const args = await argumentsFor(tool, typed, { input, terminal })
  const folder = optionText(input, 'out')
  if (folder !== undefined) await prepareFolder(resolve(input.cwd, folder))
  if (!(await confirmCall({ tool, args, place }, { input, terminal }))) return exitCodes.refused
  try {
    const result = await callTool({ client, tool, args, place }, input, bar.show)
    return await showResult(tool.name, result, { input, terminal, clear: bar.clear })
  } finally {
    bar.clear()
  }
}

type Called = { readonly client: Client; readonly tool: RemoteTool; readonly args: JsonObject; readonly place: CommandTarget }

/** Limits for a call through a gateway, where a person may take five minutes to approve it. */
const throughGateway = { idleMs: 330_000, totalMs: 900_000 }

function callTool(
  { client, tool, args, place }: Called,
  input: CommandInput,
  onProgress: ReturnType<typeof progressBar>['show'],
) {
  const given = optionText(input, 'timeout')
  const ms = Number(given) * 1000
  if (given !== undefined && !(ms > 0)) throw usageProblem('--timeout must be a number of seconds')
  const limits = given === undefined ? place.kind === 'gateway' && throughGateway : { idleMs: ms, totalMs: ms }
  const meta = place.kind === 'gateway' ? { [patientMeta]: true } : {}
  return client.call(tool.name, args, { signal: input.signal, onProgress, meta, ...limits })
}

async function argumentsFor({ name, inputSchema }: RemoteTool, words: readonly string[], { input, terminal }: CommandContext) {
  const given = await readArguments(words, inputSchema, { input: optionText(input, 'input'), cwd: input.cwd })
  const lacking = missingArguments(inputSchema, given)
  if (lacking.length === 0) return given
  const known = Object.keys(objectIn(inputSchema, 'properties'))
  const unknown = Object.keys(given).filter((one) => !known.includes(one))
  const others = unknown.length > 0 ? `, and does not have ${unknown.join(', ')}` : ''
  if (!terminal.interactive) throw usageProblem(`${name} needs ${lacking.join(', ')}${others}. See toolwire inspect ${name}`)
  const closed = ifClosed(() => {
    throw new CommandError('Nothing was sent', exitCodes.interrupted)
  })
  return askMissingArguments(inputSchema, given, await terminalPrompts(input.signal)).catch(closed)
}

/** Shows the exact arguments and asks for confirmation, unless the tool is read-only or the terminal is not interactive. */
async function confirmCall({ tool, args, place }: Omit<Called, 'client'>, { input, terminal }: CommandContext) {
  if (isOptionOn(input, 'yes') || tool.hints.readOnly || !terminal.interactive) return true
  const { bold, yellow } = terminal.paint
  const danger = tool.hints.destructive ? yellow('may change or destroy something') : yellow('may change something')
  const head = `${bold(visibleText(tool.name))} of ${visibleText(targetName(place))} ${danger}`
  process.stderr.write(`\n${head}. This will be sent:\n${visibleJson(args)}\n`)
  const agreed = await isConfirmed('Call it?', input.signal)
  if (!agreed) terminal.say('Not called.')
  return agreed
}
