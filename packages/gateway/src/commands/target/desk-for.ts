import { exitCodes, Trouble } from '../exit-codes.js'
import { type Input, textOf } from '../spec.js'

/** What is managed at a gateway, or in its data directory while none runs. */
type Desk = { list(): Promise<unknown> }

/** At the gateway that was named, or that answers where one usually does; a folder that was named is worked on directly. */
export async function deskFor<D extends Desk>(input: Input, { gateway, own }: { gateway(): D; own(): Promise<D> }): Promise<D> {
  if (textOf(input, 'dataDir') !== undefined || textOf(input, 'config') !== undefined) return own()
  const desk = gateway()
  const isNamed = textOf(input, 'gateway') !== undefined || Boolean(input.env.TOOLWIRE_URL)
  return isNamed || (await answers(desk)) ? desk : own()
}

async function answers(desk: Desk): Promise<boolean> {
  try {
    await desk.list()
    return true
  } catch (thrown) {
    if (thrown instanceof Trouble && thrown.exitCode === exitCodes.connection) return false
    throw thrown
  }
}
