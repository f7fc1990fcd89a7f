"""How many test rows does it take?

For every cluster value, the number of rows after which it is confirmed with a probability of 80 %, and what a given
number of rows achieves.
"""

from matplotlib import pyplot as plt

from partitope.stats import power_analysis

analysis = power_analysis([0.05, 0.2, 0.45, 0.8], n_test=[2000, 800, 300, 200])
print(analysis.table[["cluster", "n_both", "power_both"]].round(2).to_string(index=False))
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
analysis.plot(ax)
plt.show()
