import type { ComponentChildren } from 'preact'
import { Text } from './text/Text.js'

/** What is known of something: a list of `Fact`. */
export const Facts = ({ class: more, children }: { class?: string; children: ComponentChildren }) => (
  <dl class={more ? `facts ${more}` : 'facts'}>{children}</dl>
)

type FactProps = { readonly name: string; readonly mono?: boolean; readonly children: ComponentChildren }

export const Fact = ({ name, mono, children }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd class={mono ? 'mono' : undefined}>{children}</dd>
  </>
)

type Called = { readonly tool: string; readonly caller: string; readonly unverified?: true; readonly server?: string }

/** Beside a caller that has shown nothing. */
export const Unverified = () => <span class="muted"> (unverified: it has shown no key)</span>

/** Which tool was called, by whom, and where it is. */
export const CalledFacts = ({ of: { tool, caller, unverified, server } }: { of: Called }) => (
  <>
    <Fact name="Tool">
      <Text of={tool} mono />
    </Fact>
    <Fact name="Caller">
      <Text of={caller} />
      {unverified && <Unverified />}
    </Fact>
    {server !== undefined && (
      <Fact name="Server">
        <Text of={server} />
      </Fact>
    )}
  </>
)
