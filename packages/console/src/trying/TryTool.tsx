import '../styles/trying.css'
import type { Tool } from '../api/types.js'
import { Empty } from '../parts/LoadState.js'
import { RawJson } from '../schemas/form/RawJson.js'
import { SchemaForm } from '../schemas/form/SchemaForm.js'
import { CallButtons, startTrial } from './CallButtons.js'
import { TrialOutcome } from './TrialOutcome.js'
import { toolTryOf } from './tool-tries.js'

/** A form for the arguments of a tool, the same as JSON, and the outcome of the call. */
export function TryTool({ tool }: { tool: Tool }) {
  const one = toolTryOf(tool)
  if (tool.waiting) return <Empty icon="eye" title="This tool is not accepted yet" text="Accept its definition first." />
  if (tool.state === 'off') return <Empty icon="pause" title="This tool is off" text="Switch it on to try it." />
  const isRunning = one.trial.value.state === 'running'
  const isBroken = one.broken.value !== undefined
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a short way to the button, from every field
    <div
      class="try-tool stack far"
      onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && startTrial(one)}
    >
      <div class="try-arguments">
        {/* While the raw JSON is invalid, the form could only show an older value. */}
        <section aria-label="Arguments" inert={isBroken || isRunning}>
          {isBroken && <p class="notice warning little">The form waits until the raw JSON can be read again.</p>}
          <SchemaForm key={tool.hash} form={one.form} />
        </section>
        <section aria-label="Arguments as JSON" inert={isRunning}>
          <RawJson key={tool.hash} form={one.form} onBroken={(why) => (one.broken.value = why)} />
        </section>
      </div>
      <CallButtons tool={tool} one={one} />
      <TrialOutcome one={one} tool={tool} />
    </div>
  )
}
