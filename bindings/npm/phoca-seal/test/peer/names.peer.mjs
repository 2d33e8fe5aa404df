// Every name of node-seal 7 exists, as the same kind of thing, on the same prototype, and nothing else does.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadBoth } from './both.mjs'

const { theirs, ours } = await loadBoth()

/** What there is to be seen of a value without calling it. */
function outline(value) {
  const names = Reflect.ownKeys(value).map(String).filter((name) => !['length', 'name', 'arguments', 'caller'].includes(name))
  return Object.fromEntries(names.sort().map((name) => {
    const { value: inner, get, set, enumerable } = Object.getOwnPropertyDescriptor(value, symbolOr(value, name))
    const kind = typeof inner === 'object' && inner !== null ? inner.constructor.name : typeof inner
    return [name, { kind, name: typeof inner === 'function' ? inner.name : '', length: inner?.length, get: typeof get, set: typeof set, enumerable }]
  }))
}

function symbolOr(value, name) {
  return Object.getOwnPropertySymbols(value).find((symbol) => String(symbol) === name) ?? name
}

/** What an embind function has by accident: a count of arguments, and a name on a method that overrides another. */
function withoutAccidents(properties) {
  delete properties.argCount
  if (properties.toString?.kind === 'function') properties.toString.name = ''
  return properties
}

it('has the same names on the library object', () => {
  assert.deepEqual(outline(ours), outline(theirs))
})

for (const name of Object.keys(theirs)) {
  if (typeof theirs[name] !== 'function' || !/^[A-Z]/.test(name)) continue
  it(`has the same names on ${name}`, () => {
    assert.deepEqual(withoutAccidents(outline(ours[name])), withoutAccidents(outline(theirs[name])))
    const [own, other] = [ours[name].prototype, theirs[name].prototype]
    assert.deepEqual(withoutAccidents(outline(own)), withoutAccidents(outline(other)))
    const [base, otherBase] = [Object.getPrototypeOf(own), Object.getPrototypeOf(other)]
    assert.equal(base.constructor.name, otherBase.constructor.name)
    if (base !== Object.prototype) assert.deepEqual(outline(base), outline(otherBase))
  })
}

for (const name of ['SchemeType', 'SecLevelType', 'ComprModeType']) {
  it(`has the members of ${name}`, () => {
    const members = (library) => Object.values(library[name].values).map((member) => {
      return [member.constructor.name, member.value, member instanceof library[name], library[name][member.constructor.name.split('_')[1]] === member]
    })
    assert.deepEqual(members(ours), members(theirs))
  })
}
