// Trying tools on the console.
import { expect, it } from 'vitest'
import { ask, pending } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { goToTool, library, outcome, rawJson } from '../exposed/library.js'
import { enter, place } from '../gateway.js'

async function trying(tool: string) {
  const gateway = await place({ upstreams: [library()] })
  const page = await enter(await visitor(), gateway)
  await goToTool(page, tool, 'try')
  const call = () => page.getByRole('button', { name: 'Call the tool' }).click()
  return { gateway, page, call, group: (name: string) => page.getByRole('group', { name, exact: true }) }
}

inBrowser('a tool that is tried', () => {
  it('is called with the values of the form, which the raw JSON shows, too', async () => {
    const { page, call, group } = await trying('echo')
    await page.getByRole('textbox', { name: 'Words' }).fill('some words')
    await page.getByRole('textbox', { name: 'limit' }).fill('7')
    await page.getByRole('combobox', { name: 'mode' }).selectOption({ label: 'exact' })
    await group('deep').getByLabel('Yes').check()
    await group('kinds').getByLabel('image').check()
    await group('tags').getByRole('button', { name: 'Add an item' }).click()
    await page.getByRole('textbox', { name: 'Item 1' }).fill('red')
    await group('owner').getByRole('combobox').selectOption({ label: 'Number' })
    await group('owner').getByRole('textbox').fill('5')
    await group('size').getByRole('button', { name: 'Fill in' }).click()
    await page.getByRole('textbox', { name: 'from' }).fill('1.5')
    await group('labels').getByRole('button', { name: 'Fill in' }).click()
    await group('labels').getByRole('button', { name: 'Add a named value' }).click()
    await group('labels').getByRole('textbox', { name: 'Value' }).fill('blue')
    const expected = {
      words: 'some words',
      limit: 7,
      mode: 'exact',
      deep: true,
      kinds: ['image'],
      tags: ['red'],
      owner: 5,
      size: { from: 1.5 },
      labels: { name: 'blue' },
    }
    await expect.poll(() => rawJson(page)).toEqual(expected)
    await call()
    await outcome(page, 'Answered')
    expect(JSON.parse(await page.locator('.text-block pre').innerText())).toEqual(expected)
  })

  it('is called with the raw JSON, which the form shows, too', async () => {
    const { page, group } = await trying('echo')
    await page.getByLabel('Raw JSON').fill('{"words":"other","owner":null,"tags":["a","b"],"size":{"from":2}}')
    await expect.poll(() => page.getByRole('textbox', { name: 'Words' }).inputValue()).toBe('other')
    expect(await page.getByRole('textbox', { name: 'limit' }).inputValue()).toBe('')
    expect(await page.getByRole('textbox', { name: 'Item 2' }).inputValue()).toBe('b')
    expect(await group('owner').getByRole('combobox').locator('option:checked').innerText()).toBe('Nothing (null)')
    await page.getByLabel('Raw JSON').fill('{"words":')
    await expect.poll(() => page.getByRole('button', { name: 'Call the tool' }).isDisabled()).toBe(true)
  })

  it('is not called with an invalid value: the error is shown at its field, which gets the focus', async () => {
    const { page, call } = await trying('echo')
    await page.getByRole('textbox', { name: 'limit' }).fill('1000')
    await call()
    await page.getByText('Needs a value.').waitFor()
    await page.getByText(/at most 100, got the number 1000/).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-pointer]')?.getAttribute('data-pointer')))
      .toBe('/words')
    expect(await page.getByRole('region', { name: 'Outcome' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Call anyway' }).click()
    await outcome(page, 'Failed')
  })

  it('shows each part of the result by its kind, and loads and opens nothing by itself', async () => {
    const { page, call } = await trying('show')
    await call()
    await outcome(page, 'Answered')
    await expect.poll(() => page.locator('.picture img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
    expect(await page.locator('.picture img').getAttribute('src')).toMatch(/^blob:/)
    expect(await page.locator('.tool-result a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://example.com/page',
    ])
    await page.getByText('file:///notes/trap').waitFor()
    await page.getByText('Embedded resource from', { exact: true }).waitFor()
    expect(await page.getByRole('cell').allInnerTexts()).toEqual(['one', '1', '<b>two</b>', '2'])
    await page.getByRole('tab', { name: 'Tree' }).click()
    await page.getByText('"<b>two</b>"').waitFor()
  })

  it('asks the person who tries it, and continues with the answer', async () => {
    const { page, call } = await trying('choose')
    await call()
    const question = page.getByRole('region', { name: 'A question of the tool' })
    await question.getByText('Which account is it?').waitFor()
    await question.getByRole('button', { name: 'Answer' }).click()
    await question.getByText('Needs a value.').waitFor()
    await question.getByRole('combobox', { name: 'account' }).selectOption({ label: '> Home' })
    await question.getByRole('button', { name: 'Answer' }).click()
    expect(await outcome(page, 'Answered')).toContain('It is h')
  })

  it('shows its progress, and ends when it is cancelled', async () => {
    const { page, call, gateway } = await trying('wait')
    await call()
    await page.getByText('A quarter is done').waitFor()
    expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('1')
    await page.getByRole('button', { name: 'Cancel the call' }).click()
    await page.getByRole('button', { name: 'Call the tool' }).waitFor()
    await expect.poll(() => gateway.control.underWay()).toBe(0)
  })

  it('is called once by a double click, and by the keyboard from any field', async () => {
    const { page, gateway } = await trying('wait')
    await page.getByRole('button', { name: 'Call the tool' }).dblclick()
    await page.getByText('A quarter is done').waitFor()
    expect(gateway.control.underWay()).toBe(1)
    await page.getByRole('button', { name: 'Cancel the call' }).click()
    await page.getByRole('button', { name: 'Call the tool' }).waitFor()
    await page.getByLabel('Raw JSON').press('Control+Enter')
    await page.getByRole('button', { name: 'Cancel the call' }).waitFor()
  })

  it('has failed if its result is an error', async () => {
    const { page, call } = await trying('fail')
    await call()
    expect(await outcome(page, 'Failed')).toContain('There is no such book')
  })

  it('says that it waits for approval, and links to the pending call', async () => {
    const { page, call, gateway } = await trying('burn')
    await page.getByText('It may change or destroy something.').waitFor()
    await call()
    const link = page.getByRole('link', { name: 'Show the pending call' })
    await link.waitFor()
    const { id } = await pending(gateway)
    expect(await link.getAttribute('href')).toBe(`#/approvals/${id}`)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny', reason: 'We like books' } })
    expect(await outcome(page, 'Failed')).toContain('We like books')
    expect(await link.count()).toBe(0)
  })
})
