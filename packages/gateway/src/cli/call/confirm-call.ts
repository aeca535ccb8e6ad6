import type { JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { type CommandInput, isOptionOn } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import { type CommandTarget, targetName } from '../target/target.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJson, visibleText } from '../terminal/visible-text.js'

type Asked = { readonly tool: RemoteTool; readonly args: JsonObject; readonly place: CommandTarget }

/** Shows exactly what will be sent, and asks; unless the tool is known to read only, or nobody is there to be asked. */
export async function confirmCall({ tool, args, place }: Asked, input: CommandInput, terminal: Terminal): Promise<boolean> {
  if (isOptionOn(input, 'yes') || tool.hints.readOnly || !terminal.interactive) return true
  const { bold, yellow } = terminal.paint
  const danger = tool.hints.destructive ? yellow('may change or destroy something') : yellow('may change something')
  process.stderr.write(
    `\n${bold(visibleText(tool.name))} of ${visibleText(targetName(place))} ${danger}. This will be sent:\n${visibleJson(args)}\n`,
  )
  const agreed = await isConfirmed('Call it?', input.signal)
  if (!agreed) terminal.say('Not called.')
  return agreed
}
