"""Binary heaps, and selection, in parallel arrays of keys and items.

A heap is the first ``count`` entries of a key array and an item array of equal length; the smallest key is first.
None of the functions allocates.
"""

from __future__ import annotations

from ....base.jit import njit


@njit(cache=True, borrowing=True)
def sift_up(keys, items, position):
    """Restore the heap after entry ``position`` was written."""
    key, item = keys[position], items[position]
    while position > 0:
        parent = (position - 1) >> 1
        if keys[parent] <= key:
            break
        keys[position], items[position] = keys[parent], items[parent]
        position = parent
    keys[position], items[position] = key, item


@njit(cache=True, borrowing=True)
def sift_down(keys, items, position, count):
    """Restore the heap of ``count`` entries after the key at ``position`` grew."""
    key, item = keys[position], items[position]
    while True:
        child = 2 * position + 1
        if child >= count:
            break
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[position], items[position] = keys[child], items[child]
        position = child
    keys[position], items[position] = key, item


@njit(cache=True, borrowing=True)
def heapify(keys, items, count):
    """Turn the first ``count`` entries into a heap."""
    for position in range(count // 2 - 1, -1, -1):
        sift_down(keys, items, position, count)


@njit(cache=True, borrowing=True)
def select(keys, items, count, rank):
    """Reorder the first ``count`` entries so that the ``rank`` smallest keys come first; return keys[rank]. Hoare's
    selection with the median of three: O(count) on average."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        a, b, c = keys[low], keys[middle], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                items[left], items[right] = items[right], items[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return keys[rank]
