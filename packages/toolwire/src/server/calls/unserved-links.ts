// Resources that a tool points to and that nothing here can read: the client that asks for one would be told that there is none.
import { isObject } from '../../json.js'
import type { ToolResult } from '../../tools/result.js'
import type { ReadyTool } from '../../tools/tool.js'
import type { App } from '../app.js'
import { isServedUri } from '../reads/resources.js'
import { Recommendation, reportFault } from '../report-fault.js'

/** Anybody can get these without this server. */
const ofTheWeb = /^https?:/i

/** Says so once for each server, with the first such result: what a handler will give is not known before it gives it. */
export function warnOfUnservedLinks(app: App, { name, definition }: ReadyTool, { content }: ToolResult): void {
  if (app.advisedOnResources || definition.relayed) return
  for (const block of content) {
    if (block.type !== 'resource' && block.type !== 'resource_link') continue
    const uri = block.type === 'resource' ? isObject(block.resource as unknown) && block.resource.uri : block.uri
    if (typeof uri !== 'string' || ofTheWeb.test(uri) || isServedUri(app, uri)) continue
    app.advisedOnResources = true
    const how = block.type === 'resource' ? 'embeds' : 'links to'
    const scheme = uri.slice(0, uri.indexOf(':') + 1)
    reportFault(
      `tool "${name}"`,
      new Recommendation(
        `it ${how} a resource (${scheme}…) that this server does not serve, so no client can read it again; add it to \`resources\`, or a template that fits`,
      ),
    )
    return
  }
}
