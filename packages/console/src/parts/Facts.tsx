import type { ComponentChildren } from 'preact'
import { Text } from './text/Text.js'

export const Facts = ({ class: more, children }: { class?: string; children: ComponentChildren }) => (
  <dl class={more ? `facts ${more}` : 'facts'}>{children}</dl>
)

type FactProps = {
  readonly name: string
  /** Untrusted text. Without a text, and without children, the fact is left out. */
  readonly text?: string | undefined
  readonly mono?: boolean
  /** A value in place of children. */
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

/** Marks a caller without an API key. */
export const Unverified = () => <span class="muted"> (unverified: no API key)</span>

/** The tool, the caller and the server of a call. */
export const CalledFacts = ({ of: { tool, caller, unverified, server } }: { of: Called }) => (
  <>
    <Fact name="Tool" text={tool} mono />
    <Fact name="Caller" text={caller}>
      {unverified && <Unverified />}
    </Fact>
    <Fact name="Server" text={server} />
  </>
)
