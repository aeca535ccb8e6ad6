import type { ComponentChildren } from 'preact'
import { Text } from './text/Text.js'

/** What is known of something: a list of `Fact`. */
export const Facts = ({ class: more, children }: { class?: string; children: ComponentChildren }) => (
  <dl class={more ? `facts ${more}` : 'facts'}>{children}</dl>
)

type FactProps = {
  readonly name: string
  /** Somebody else's words. Without any, and without children, there is no such fact. */
  readonly text?: string | undefined
  readonly mono?: boolean
  /** Anything else, in place of children. */
  readonly value?: ComponentChildren
  readonly children?: ComponentChildren
}

export const Fact = ({ name, text, mono = false, value, children = value }: FactProps) =>
  text === undefined && children === undefined ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <Text of={text} mono={mono} />
        {children}
      </dd>
    </>
  )

type Called = { readonly tool: string; readonly caller: string; readonly unverified?: true; readonly server?: string }

/** Beside a caller that has shown nothing. */
export const Unverified = () => <span class="muted"> (unverified: it has shown no key)</span>

/** Which tool was called, by whom, and where it is. */
export const CalledFacts = ({ of: { tool, caller, unverified, server } }: { of: Called }) => (
  <>
    <Fact name="Tool" text={tool} mono />
    <Fact name="Caller" text={caller}>
      {unverified && <Unverified />}
    </Fact>
    <Fact name="Server" text={server} />
  </>
)
