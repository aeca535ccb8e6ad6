import type { JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { Closed, promptsHere } from '../forms/prompts.js'
import { type Input, isOn } from '../spec.js'
import { nameOf, type Place } from '../target/place.js'
import { visible } from '../terminal/hidden.js'
import { jsonText } from '../terminal/json-text.js'
import type { Terminal } from '../terminal/terminal.js'

type Asked = { readonly tool: RemoteTool; readonly args: JsonObject; readonly place: Place }

/** Shows exactly what will be sent, and asks; unless the tool is known to read only, or nobody is there to be asked. */
export async function mayBeSent({ tool, args, place }: Asked, input: Input, terminal: Terminal): Promise<boolean> {
  if (isOn(input, 'yes') || tool.hints.readOnly || !terminal.interactive) return true
  const { bold, yellow } = terminal.paint
  const danger = tool.hints.destructive ? yellow('may change or destroy something') : yellow('may change something')
  process.stderr.write(
    `\n${bold(visible(tool.name))} of ${visible(nameOf(place))} ${danger}. This will be sent:\n${jsonText(args)}\n`,
  )
  try {
    const agreed = await (await promptsHere(input.signal)).yesOrNo('Call it?')
    if (!agreed) terminal.say('Not called.')
    return agreed
  } catch (thrown) {
    if (!(thrown instanceof Closed)) throw thrown
    terminal.say('Not called.')
    return false
  }
}
