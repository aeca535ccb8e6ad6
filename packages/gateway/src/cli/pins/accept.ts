import type { JsonObject } from 'toolwire'
import { shellWord } from '../../config/trust/trust-messages.js'
import { apiClientOf } from '../api/api-client.js'
import { CommandError, exitCodes, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import { stringIn } from '../json-members.js'
import { visibleTextLine } from '../terminal/visible-text.js'
import { acceptSeveral } from './accept-several.js'
import { definitionOf, differenceOf, isNamedBy, loadPins, pinServer, pinTool, waitingPin } from './pin-list.js'

export const run: RunCommand = async (input, terminal) => {
  const api = apiClientOf(input)
  const [name] = input.operands
  const [server, all] = [optionText(input, 'server'), isOptionOn(input, 'all')]
  const ways = [name !== undefined, server !== undefined, all].filter(Boolean).length
  const problem = ways === 0 ? 'No definition is named' : 'A name, --server and --all cannot be combined'
  if (ways !== 1) throw usageProblem(`${problem}. Use toolwire pins accept <name>, or --server <name>, or --all`)
  if (name === undefined) return acceptSeveral(server, { input, terminal })
  const drift = waitingPin(name, await loadPins(api))
  if (!drift && terminal.json) return void terminal.printJson({ tool: name, hash: null })
  if (!drift) return void terminal.say(`${visibleTextLine(name)} has not changed, so there is nothing to accept`)
  const hash = stringIn(drift, 'hash') ?? ''
  const wanted = optionText(input, 'hash')
  const look = `toolwire pins diff ${shellWord(name)}`
  if (wanted !== undefined && wanted !== hash)
    throw new CommandError(`${name} has changed again, and its hash is now ${hash}. Review it with ${look}`)
  const identity = optionText(input, 'identity')
  if (wanted !== undefined || identity !== undefined) mustBeNamed(drift, identity)
  if (wanted === undefined && !isOptionOn(input, 'yes')) {
    if (!terminal.interactive)
      throw usageProblem(`Without a terminal, the hash is needed. Review the definition with ${look}, then add --hash ${hash}`)
    process.stderr.write(`${differenceOf(drift, terminal)}\n`)
    if (!(await isConfirmed('Accept this definition?', input.signal))) return exitCodes.refused
  }
  const of = pinServer(drift)
  await api.request('/pins/accept', { method: 'POST', body: definitionOf(drift) })
  if (terminal.json) terminal.printJson({ tool: pinTool(drift), ...(of && { server: of }), hash })
  else terminal.print(`Accepted ${visibleTextLine(pinTool(drift))} as ${hash}`)
}

/** A hash identifies only a definition, which another server may have too, so the server's identity must be given as well. */
function mustBeNamed(drift: JsonObject, identity: string | undefined): void {
  const change = stringIn(drift, 'serverChange')
  if (identity === undefined && change === undefined) return
  if (identity !== undefined && isNamedBy(drift, identity)) return
  const look = `toolwire pins diff ${shellWord(pinTool(drift))}`
  if (identity === undefined)
    throw usageProblem(`${visibleTextLine(change ?? '')} Review it with ${look}, then add the --identity shown there`)
  throw new CommandError(
    `${pinTool(drift)} comes from another server than ${visibleTextLine(identity)}. Review it again with ${look}`,
  )
}
