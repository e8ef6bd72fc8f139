/** Schemas made at random, for routes of their own. Each is one that something fits. */
const names = ['a', 'b', 'c', 'x-y', 'é', 'constructor', 'toString', '0', 'long name']

function leaf(random) {
  switch (random.int(0, 9)) {
    case 0:
      return { type: 'string', ...(random.chance(0.5) && { minLength: random.int(0, 2), maxLength: random.int(3, 8) }) }
    case 1:
      return { type: 'integer', ...(random.chance(0.5) && { minimum: random.int(-9, 0), maximum: random.int(1, 9) }) }
    case 2:
      return { type: 'number', ...(random.chance(0.5) && { minimum: -1, maximum: 1 }) }
    case 3:
      return { type: 'boolean' }
    case 4:
      return { type: 'string', format: random.pick(['date', 'uuid', 'ipv4', 'email', 'date-time']) }
    case 5:
      return {
        enum: random.pick([
          ['a', 'b'],
          [1, 2, 3],
          [null, 'x'],
          [true, 0, ''],
        ]),
      }
    case 6:
      return {
        type: random.pick([
          ['string', 'null'],
          ['integer', 'string'],
          ['number', 'boolean'],
          ['integer', 'null'],
        ]),
      }
    case 7:
      return { type: random.pick(['string', 'integer', 'boolean']), nullable: true }
    case 8:
      return { const: random.pick(['fixed', 7, true, null]) }
    default:
      return { type: 'number', minimum: 0, maximum: 50, multipleOf: random.pick([0.01, 0.1, 0.25, 3]) }
  }
}

export function schemaOf(random, depth) {
  if (depth <= 0 || random.chance(0.3)) return leaf(random)
  switch (random.int(0, 7)) {
    case 0:
    case 1:
    case 2:
      return objectOf(random, depth)
    case 3:
      return {
        type: 'array',
        items: schemaOf(random, depth - 1),
        ...(random.chance(0.3) && { minItems: 1, maxItems: 3 }),
        ...(random.chance(0.3) && { uniqueItems: true }),
      }
    case 4:
      return { oneOf: random.list(2, 3, () => schemaOf(random, depth - 1)) }
    case 5:
      return { anyOf: random.list(2, 3, () => schemaOf(random, depth - 1)) }
    case 6:
      return {
        type: 'object',
        allOf: [objectOf(random, depth - 1), objectOf(random, depth - 1)].map(({ additionalProperties: _, ...rest }) => rest),
      }
    default:
      return {
        type: 'object',
        minProperties: 1,
        additionalProperties: leaf(random),
        ...(random.chance(0.5) && { patternProperties: { '^p_': leaf(random) } }),
      }
  }
}

function objectOf(random, depth) {
  const properties = {}
  for (const name of random.list(1, 4, () => random.pick(names))) properties[name] = schemaOf(random, depth - 1)
  const required = Object.keys(properties).filter(() => random.chance(0.5))
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(random.chance(0.5) && { additionalProperties: random.pick([false, false, true, { type: 'integer' }]) }),
  }
}

export function generatedRoutes(random, count) {
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 < 2)
      return { method: random.pick(['POST', 'PUT', 'PATCH']), url: `/made/${index}`, schema: { body: objectOf(random, random.int(1, 3)) } }
    const properties = {}
    for (const name of random.list(1, 5, () => random.pick(names))) {
      const schema = leaf(random)
      // A query holds texts: there is no null, and what has several types is what it was sent as.
      properties[name] =
        'enum' in schema || 'const' in schema || Array.isArray(schema.type) || schema.nullable
          ? { type: 'string' }
          : random.chance(0.3)
            ? { type: 'array', items: schema }
            : schema
    }
    return {
      method: 'GET',
      url: `/made/${index}`,
      schema: { querystring: { type: 'object', properties, additionalProperties: random.chance(0.5) } },
    }
  })
}
