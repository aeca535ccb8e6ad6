/** One server as hosts know it, whichever of them wrote it: nothing is put in place of variables yet. */
export type ServerEntry = {
  readonly name: string
  /** JSON pointer to where it stands. */
  readonly at: string
  readonly disabled: boolean
  readonly command?: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** Variables of ours that the child gets as well. */
  readonly inherit: readonly string[]
  readonly envFile?: string
  readonly cwd?: string
  readonly url?: string
  readonly transport: 'child' | 'http' | 'sse'
  readonly headers: { readonly [name: string]: string }
  readonly timeoutMs?: number
  readonly only?: readonly string[]
  readonly hidden: readonly string[]
  readonly warnings: readonly string[]
}
