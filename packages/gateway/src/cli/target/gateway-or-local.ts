import { CommandError, type CommandInput, exitCodes, optionText } from '../command.js'

/** What is managed at a gateway, or in its data directory while none runs. */
type Desk = { list(): Promise<unknown> }

/** At the gateway that was named, or that answers where one usually does; a folder that was named is worked on directly. */
export async function gatewayOrLocal<D extends Desk>(
  input: CommandInput,
  { gateway, own }: { gateway(): D; own(): Promise<D> },
): Promise<D> {
  if (optionText(input, 'dataDir') !== undefined || optionText(input, 'config') !== undefined) return own()
  const desk = gateway()
  const isNamed = optionText(input, 'gateway') !== undefined || Boolean(input.env.TOOLWIRE_URL)
  return isNamed || (await answers(desk)) ? desk : own()
}

async function answers(desk: Desk): Promise<boolean> {
  try {
    await desk.list()
    return true
  } catch (thrown) {
    if (thrown instanceof CommandError && thrown.exitCode === exitCodes.connection) return false
    throw thrown
  }
}
