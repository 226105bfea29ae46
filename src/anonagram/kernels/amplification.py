"""How much more likely one origin of a perturbed row is than another."""

from __future__ import annotations

import numpy as np

from anonagram.kernels.compiled import compiled


@compiled
def amplify(weights, several, result):
    """For each row the likeliest over the unlikeliest origin, given the weights of its attributes.

    A weight is the chance that an attribute is replaced and becomes what stands there. The likeliest
    origin is the row itself: any set of attributes may have been replaced by what they were (the
    elementary symmetric polynomial of the weights); the unlikeliest differs where weights are least.
    """
    size, attributes = weights.shape
    sums = np.empty(several + 1)
    for i in range(size):
        ordered = np.sort(weights[i])
        sums[:] = 0.0
        sums[0] = 1.0
        least = 1.0
        for j in range(attributes):
            if j < several:
                least *= ordered[j]
            for k in range(min(several, j + 1), 0, -1):
                sums[k] += ordered[j] * sums[k - 1]
        result[i] = sums[several] / least
