import type { Answering, types } from 'toolwire/relay'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import { objectIn } from '../json-members.js'
import type { Terminal } from '../terminal/terminal.js'
import { indentedText, visibleJson, visibleTextLine } from '../terminal/visible-text.js'
import { askFields } from './ask-missing.js'
import { ifClosed, terminalPrompts } from './prompts.js'

/** Lets the user at the terminal answer the server's questions; undefined if the terminal is not interactive. */
export function terminalElicitation(terminal: Terminal, between: () => void): Answering | undefined {
  if (!terminal.interactive) return undefined
  const oneQuestion = oneAtATime()
  const inTurn = <A>(answer: () => Promise<A>) =>
    oneQuestion(() => {
      between()
      return answer().catch(ifClosed(() => ({ action: 'cancel' }) as const))
    })
  return { form: (asked) => inTurn(() => form(asked, terminal)), page: (asked) => inTurn(() => page(asked, terminal)) }
}

async function form(asked: types.FormAsked, terminal: Terminal): Promise<types.FormAnswer> {
  const { server, message, schema, prefilled, signal } = asked
  const prompts = await terminalPrompts(signal)
  terminal.say(`\n${terminal.paint.bold(visibleTextLine(server))} asks:\n  ${indentedText(message, '  ')}`)
  const content = await askFields(Object.keys(objectIn(schema, 'properties')), schema, prompts, prefilled)
  terminal.say(`\nThis will be sent to ${visibleTextLine(server)}:\n${visibleJson(content)}`)
  const decision = await prompts.choose('Send it?', decisions, 'accept')
  return decision === 'accept' ? { action: 'accept', content } : { action: decision === 'decline' ? 'decline' : 'cancel' }
}

const no = [
  { value: 'decline', label: 'Decline, and tell the server' },
  { value: 'cancel', label: 'Close without an answer' },
]
const decisions = [{ value: 'accept', label: 'Send it' }, ...no]

/** Shows the whole URL, and opens nothing before the user agrees. */
async function page(asked: types.PageAsked, terminal: Terminal): Promise<types.PageAnswer> {
  const { server, message, url, host, warnings, signal } = asked
  const prompts = await terminalPrompts(signal)
  const { bold, yellow } = terminal.paint
  const place = `  ${visibleTextLine(url)}\n  host: ${bold(visibleTextLine(host))}`
  terminal.say(`\n${bold(visibleTextLine(server))} asks you to open a page:\n  ${indentedText(message, '  ')}\n\n${place}`)
  for (const warning of warnings) terminal.say(yellow(`  careful: ${visibleTextLine(warning)}`))
  const decision = await prompts.choose('What do you want to do?', pageDecisions, 'decline')
  if (decision === 'open') await openPage(url, terminal)
  return { action: decision === 'decline' || decision === 'cancel' ? decision : 'accept' }
}

const pageDecisions = [
  { value: 'open', label: 'Agree, and open the page in the browser' },
  { value: 'agree', label: 'Agree, and open the page yourself' },
  ...no,
]

async function openPage(url: string, terminal: Terminal): Promise<void> {
  const { machine } = await import('toolwire/relay')
  await machine.openPage(new URL(url)).catch(() => terminal.say('No browser could be opened. Open the address yourself'))
}
