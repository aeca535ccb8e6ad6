import type { Json, JsonObject } from 'toolwire'
import type { Answering, types } from 'toolwire/relay'

import { isObject } from '../../json/is-object.js'
import { objectIn, ownMember } from '../json-members.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleText } from '../terminal/visible-text.js'
import { askField } from './ask-field.js'
import { PromptClosed, type Prompts, terminalPrompts } from './prompts.js'

/** The user at the terminal answers questions of the server; undefined if the terminal is not interactive. */
export function terminalElicitation(terminal: Terminal, between: () => void): Answering | undefined {
  if (!terminal.interactive) return undefined
  const inTurn = oneByOne()
  return {
    form: (asked) =>
      inTurn(() => {
        between()
        return form(asked, terminal)
      }),
    page: (asked) =>
      inTurn(() => {
        between()
        return page(asked, terminal)
      }),
  }
}

async function form(
  { server, message, schema, prefilled, signal }: types.FormAsked,
  terminal: Terminal,
): Promise<types.FormAnswer> {
  const prompts = await terminalPrompts(signal)
  terminal.say(`\n${terminal.paint.bold(visibleText(server))} asks:\n${visibleText(message)}`)
  try {
    const content = await filled(schema, prefilled, prompts)
    terminal.say(`\nThis will be sent to ${visibleText(server)}:\n${visibleText(JSON.stringify(content, undefined, 2))}`)
    const decision = await prompts.choose('Send it?', decisions, 'accept')
    return decision === 'accept' ? { action: 'accept', content } : { action: decision === 'decline' ? 'decline' : 'cancel' }
  } catch (thrown) {
    if (thrown instanceof PromptClosed) return { action: 'cancel' }
    throw thrown
  }
}

const decisions = [
  { value: 'accept', label: 'Send it' },
  { value: 'decline', label: 'Decline, and tell the server' },
  { value: 'cancel', label: 'Close without an answer' },
]

async function filled(schema: JsonObject, prefilled: JsonObject, prompts: Prompts): Promise<JsonObject> {
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries: [string, Json][] = []
  for (const [name, property] of Object.entries(objectIn(schema, 'properties'))) {
    const field = { name, schema: isObject(property) ? property : {}, required: required.includes(name) }
    const value = await askField(field, prompts, ownMember(prefilled, name))
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/** The whole address is shown, and nothing is opened before a yes. */
async function page(
  { server, message, url, host, warnings, signal }: types.PageAsked,
  terminal: Terminal,
): Promise<types.PageAnswer> {
  const prompts = await terminalPrompts(signal)
  const { bold, yellow } = terminal.paint
  terminal.say(
    `\n${bold(visibleText(server))} asks you to open a page:\n${visibleText(message)}\n\n  ${visibleText(url)}\n  host: ${bold(visibleText(host))}`,
  )
  for (const warning of warnings) terminal.say(yellow(`  careful: ${visibleText(warning)}`))
  try {
    const decision = await prompts.choose('What do you want to do?', pageDecisions, 'decline')
    if (decision === 'open') await openInBrowser(url, terminal)
    return { action: decision === 'decline' || decision === 'cancel' ? decision : 'accept' }
  } catch (thrown) {
    if (thrown instanceof PromptClosed) return { action: 'cancel' }
    throw thrown
  }
}

const pageDecisions = [
  { value: 'open', label: 'Agree, and open the page in the browser' },
  { value: 'agree', label: 'Agree, and open the page yourself' },
  { value: 'decline', label: 'Decline, and tell the server' },
  { value: 'cancel', label: 'Close without an answer' },
]

async function openInBrowser(url: string, terminal: Terminal): Promise<void> {
  const { machine } = await import('toolwire/relay')
  try {
    await machine.openPage(new URL(url))
  } catch {
    terminal.say('No browser could be opened. Open the address yourself')
  }
}

/** One question at a time. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine
    return mine
  }
}
