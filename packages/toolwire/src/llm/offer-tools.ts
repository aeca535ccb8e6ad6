import { yieldWhenBusy } from '../bounds/yield-when-busy.js'
import type { PooledTool } from '../client/pool.js'
import { capped, cut } from '../text/cut.js'
import { plainDescription } from '../text/plain-description.js'
import { type Loss, type Lower, losses } from './lower/lowered.js'
import { plainSchema } from './lower/plain-schema.js'
import type { ToolkitLimits } from './options.js'
import type { OfferedTool } from './provider.js'

export type ReportedLoss = Loss & { readonly alias: string }

/** Tool names that every provider accepts. */
const acceptable = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Prepares the tools for a model, always in the same order, and reports the losses of their definitions. */
export async function offerTools(pooled: readonly PooledTool[], lower: Lower, limits: ToolkitLimits) {
  const offered = new Map<string, OfferedTool>()
  const report: ReportedLoss[] = []
  const rest = yieldWhenBusy()
  for (const each of pooled.toSorted((a, b) => (a.alias < b.alias ? -1 : 1))) {
    const { alias } = each
    await rest()
    if (offered.has(alias)) throw new Error(`Two tools have the alias ${alias}`)
    const { noted, reportLoss } = losses()
    if (acceptable.test(alias))
      offered.set(alias, { alias, pooled: each, ...descriptionFor(each, { lower, limits, reportLoss }) })
    else reportLoss([], 'name', 'has an alias that no provider takes, so the tool is left out')
    report.push(...noted.map((loss) => ({ alias, ...loss })))
  }
  return { offered, report }
}

type OfferContext = { lower: Lower; limits: ToolkitLimits; reportLoss: ReturnType<typeof losses>['reportLoss'] }

function descriptionFor({ tool }: PooledTool, { lower, limits, reportLoss }: OfferContext) {
  const written = tool.description ?? tool.displayName
  // Only as much text is cleaned as could be shown.
  const description = plainDescription(cut(written, limits.description * 8))
  if (description.length > limits.description)
    reportLoss([], 'description', `is longer than ${limits.description} characters, and is cut`)
  const lowered = lower(plainSchema(tool.inputSchema, reportLoss, limits.schema), reportLoss)
  return { description: capped(description, limits.description), lowered }
}
