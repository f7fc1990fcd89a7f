"""Kernel measures of dependence: HSIC and HSCONIC."""
