import { expect, it } from 'vitest';

import { addressOf, caseNameOf, readAddress, viewOfPasted } from './address';
import { START } from './viewstate';
import { textOfView } from './viewtext';

it.each([
  ['/home/ann/cases/shop & co.case', 'shop & co.case'],
  ['C:\\cases\\shop.case', 'shop.case'],
  ['/cases/shop.case/', 'shop.case'],
  ['with:prod,test:/cases/shop.case', 'with:prod,test:shop.case'],
  ['remote:prod', 'remote:prod'],
])('the case %s is called %s in an address', (path, name) => {
  expect(caseNameOf(path)).toBe(name);
  const address = addressOf(name, textOfView({ ...START, query: 'a&case=b' }));
  expect(readAddress(address)).toEqual({
    caseName: name,
    view: { ...START, query: 'a&case=b' },
    problem: null,
  });
});

it('names the parts of an address that cannot be read', () => {
  expect(readAddress('timberline-view=1&query=a&range=x&zone=Mars%2FOlympus')).toEqual({
    caseName: null,
    view: { ...START, query: 'a' },
    problem: { kind: 'unread', about: 'range, zone' },
  });
});

it('reads a pasted view, and a pasted link', () => {
  const view = { ...START, query: 'a#b' };
  const text = textOfView(view);
  expect(viewOfPasted(` ${text}\n`)).toEqual(view);
  expect(viewOfPasted(`http://127.0.0.1:1/?x=1#${addressOf('a.case', text)}`)).toEqual(view);
  expect(viewOfPasted('timberline-view=1&query=http://a/#b')).toEqual({
    ...START,
    query: 'http://a/#b',
  });
  expect(viewOfPasted('http://127.0.0.1:1/')).toBeNull();
});
